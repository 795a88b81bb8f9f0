/* python.c: reads CPython's frames, by functions that it finds by name (python.h). */
#define _GNU_SOURCE
#include "python.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define SEEN_CODES 64u

/* The functions of CPython's C API that are used. Objects are passed as void *. */
static struct {
    int (*is_initialized)(void);
    int (*is_finalizing)(void); /* null if it is not exported */
    int (*lock_is_held)(void);
    void *(*thread_state)(void);
    int (*lock)(void);
    void (*unlock)(int);
    void *(*error)(void);
    void (*clear_error)(void);
    void *(*frame)(void);
    void *(*frame_back)(void *);
    void *(*frame_code)(void *);
    int (*frame_line)(void *);
    int (*frame_instruction)(void *); /* from Python 3.11 on */
    void *(*attribute)(void *, const char *);
    const char *(*text)(void *);
    long (*number)(void *);
    void (*take)(void *);
    void (*give)(void *);
} python;

bool refrain_python_open(void) {
    static const struct {
        void *place;
        const char *name, *other;
        bool optional;
    } functions[] = {
        {&python.is_initialized, "Py_IsInitialized", NULL, false},
        {&python.is_finalizing, "Py_IsFinalizing", "_Py_IsFinalizing", true},
        {&python.lock_is_held, "PyGILState_Check", NULL, false},
        {&python.thread_state, "PyGILState_GetThisThreadState", NULL, false},
        {&python.lock, "PyGILState_Ensure", NULL, false},
        {&python.unlock, "PyGILState_Release", NULL, false},
        {&python.error, "PyErr_Occurred", NULL, false},
        {&python.clear_error, "PyErr_Clear", NULL, false},
        {&python.frame, "PyEval_GetFrame", NULL, false},
        {&python.frame_back, "PyFrame_GetBack", NULL, false},
        {&python.frame_code, "PyFrame_GetCode", NULL, false},
        {&python.frame_line, "PyFrame_GetLineNumber", NULL, false},
        {&python.frame_instruction, "PyFrame_GetLasti", NULL, true},
        {&python.attribute, "PyObject_GetAttrString", NULL, false},
        {&python.text, "PyUnicode_AsUTF8", NULL, false},
        {&python.number, "PyLong_AsLong", NULL, false},
        {&python.take, "Py_IncRef", NULL, false},
        {&python.give, "Py_DecRef", NULL, false},
    };
    for (unsigned i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *function = dlsym(RTLD_DEFAULT, functions[i].name);
        if (!function && functions[i].other)
            function = dlsym(RTLD_DEFAULT, functions[i].other);
        if (!function && !functions[i].optional)
            return false;
        memcpy(functions[i].place, &function, sizeof function);
    }
    return true;
}

/* Copies an attribute that is text. "" if it is none. */
static void copy_text(void *object, const char *attribute, char *to, size_t bytes) {
    void *value = python.attribute(object, attribute);
    const char *text = value ? python.text(value) : NULL;
    snprintf(to, bytes, "%s", text ? text : "");
    if (value)
        python.give(value);
    python.clear_error();
}

/* True for code of the import machinery, which is in no file. Remembers the code objects that are not. */
static bool is_hidden(const void *code) {
    static __thread const void *shown[SEEN_CODES];
    const void **seen = &shown[((uintptr_t)code >> 5) % SEEN_CODES];
    char file[32];
    if (*seen == code)
        return false;
    copy_text((void *)code, "co_filename", file, sizeof file);
    if (strncmp(file, "<frozen importlib", strlen("<frozen importlib")) == 0)
        return true;
    *seen = code;
    return false;
}

bool refrain_python_begin(struct refrain_python_stack *stack, unsigned most) {
    stack->n = 0;
    stack->locked = false;
    if (!python.is_initialized() || (python.is_finalizing && python.is_finalizing()))
        return false;
    if (!python.lock_is_held()) {
        if (!python.thread_state())
            return false;
        stack->lock = python.lock();
        stack->locked = true;
    }
    /* A pending exception would be lost. */
    void *frame = python.error() ? NULL : python.frame();
    if (frame)
        python.take(frame);
    while (frame && stack->n < most) {
        void *code = python.frame_code(frame), *back;
        if (!is_hidden(code)) {
            int line = stack->n == 0 ? python.frame_line(frame) : 0;
            int instruction = python.frame_instruction ? python.frame_instruction(frame) : 0;
            stack->frames[stack->n++] = (struct refrain_python_frame){frame, code, line, instruction};
        }
        python.give(code); /* The frame owns the code while it runs, and its callers own the frame. */
        back = stack->n < most ? python.frame_back(frame) : NULL;
        python.give(frame);
        frame = back;
    }
    if (stack->n == 0)
        refrain_python_end(stack);
    return stack->n > 0;
}

int refrain_python_describe(const void *code, char *file, char *name, size_t bytes) {
    void *object = (void *)code, *line = python.attribute(object, "co_firstlineno");
    long first = line ? python.number(line) : 0;
    if (line)
        python.give(line);
    python.clear_error();
    copy_text(object, "co_filename", file, bytes);
    copy_text(object, "co_qualname", name, bytes); /* from Python 3.11 on */
    if (!*name)
        copy_text(object, "co_name", name, bytes);
    python.take(object);
    return (int)first;
}

void refrain_python_end(const struct refrain_python_stack *stack) {
    if (stack->locked)
        python.unlock(stack->lock);
}
