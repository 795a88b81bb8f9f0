/* command.c: parses the command line of a compiler (command.h). */
#include "command.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum {
    SEPARATE = 1,  /* the value is the next argument */
    JOINED = 2,    /* the value follows in the same argument */
    EXACT = 4,     /* no value in the same argument */
    PARSING = 8,   /* libclang needs it */
    STRAIGHT = 16, /* nothing to instrument in this command */
    NO_LINK = 32,
    DEPEND = 64,   /* writes dependency files as a side effect */
    LINKING = 128, /* of use to the linker only */
    OPENMP = 256,
    OUTPUT = 512,
    LANGUAGE = 1024,
    LIBRARY = 2048,
    PARTIAL = 4096, /* links objects into another object (-r) */
    STATIC = 8192,
    BARE = 16384, /* links none of the usual libraries, so refrain is not linked either */
    DEPEND_FILE = 32768,
    PREPROCESSOR = 65536, /* the value is an option for the preprocessor, or several separated by commas */
    LTO = 131072,         /* generates code at link time */
    NO_HOOKS = 262144,    /* other machine code (hooks.h) */
    NO_LTO = 524288
};

struct option {
    const char *name;
    unsigned flags;
};

/* Sorted by name. The longest name that matches counts. An option with neither EXACT, SEPARATE nor JOINED matches every
 * argument that begins with its name. The compiler gets unknown options unchanged; libclang does not get them. */
static const struct option options[] = {
    {"-###", EXACT | STRAIGHT},
    {"--assemble", EXACT | NO_LINK},
    {"--compile", EXACT | NO_LINK},
    {"--define-macro", SEPARATE | PARSING},
    {"--define-macro=", JOINED | PARSING},
    {"--entry", SEPARATE | LINKING},
    {"--for-assembler", SEPARATE},
    {"--for-linker", SEPARATE | LINKING},
    {"--help", STRAIGHT},
    {"--include", SEPARATE | PARSING},
    {"--include-directory", SEPARATE | PARSING},
    {"--include-directory=", JOINED | PARSING},
    {"--include=", JOINED | PARSING},
    {"--language", SEPARATE | LANGUAGE},
    {"--language=", JOINED | LANGUAGE},
    {"--library-directory", SEPARATE | LINKING},
    {"--library-directory=", JOINED | LINKING},
    {"--output", SEPARATE | OUTPUT},
    {"--output=", JOINED | OUTPUT},
    {"--param", SEPARATE | JOINED},
    {"--preprocess", EXACT | STRAIGHT},
    {"--print-", STRAIGHT},
    {"--static", EXACT | STATIC},
    {"--std=", JOINED | PARSING},
    {"--sysroot", SEPARATE | JOINED | PARSING},
    {"--sysroot=", JOINED | PARSING},
    {"--target", SEPARATE | JOINED},
    {"--undefine-macro", SEPARATE | PARSING},
    {"--undefine-macro=", JOINED | PARSING},
    {"--version", EXACT | STRAIGHT},
    {"-A", SEPARATE | JOINED},
    {"-B", SEPARATE | JOINED},
    {"-D", SEPARATE | JOINED | PARSING},
    {"-E", EXACT | STRAIGHT},
    {"-I", SEPARATE | JOINED | PARSING},
    {"-L", SEPARATE | JOINED | LINKING},
    {"-M", EXACT | STRAIGHT},
    {"-MD", EXACT | DEPEND},
    {"-MF", SEPARATE | JOINED | DEPEND_FILE},
    {"-MJ", SEPARATE | JOINED},
    {"-MM", EXACT | STRAIGHT},
    {"-MMD", EXACT | DEPEND},
    {"-MQ", SEPARATE | JOINED},
    {"-MT", SEPARATE | JOINED},
    {"-O", JOINED | PARSING},
    {"-R", SEPARATE | JOINED | LINKING},
    {"-S", EXACT | NO_LINK},
    {"-T", SEPARATE | JOINED | LINKING},
    {"-Tbss", SEPARATE | LINKING},
    {"-Tdata", SEPARATE | LINKING},
    {"-Ttext", SEPARATE | LINKING},
    {"-U", SEPARATE | JOINED | PARSING},
    {"-V", EXACT | SEPARATE},
    {"-Wl,", JOINED | LINKING},
    {"-Wp,", JOINED | PREPROCESSOR},
    {"-Xanalyzer", SEPARATE},
    {"-Xassembler", SEPARATE},
    {"-Xclang", SEPARATE},
    {"-Xlinker", SEPARATE | LINKING},
    {"-Xopenmp-target", SEPARATE},
    {"-Xpreprocessor", SEPARATE | PREPROCESSOR},
    {"-ansi", EXACT | PARSING},
    {"-arch", EXACT | SEPARATE},
    {"-aux-info", EXACT | SEPARATE},
    {"-b", EXACT | SEPARATE},
    {"-c", EXACT | NO_LINK},
    {"-dumpbase", EXACT | SEPARATE},
    {"-dumpbase-ext", EXACT | SEPARATE},
    {"-dumpdir", EXACT | SEPARATE},
    {"-dumpmachine", STRAIGHT},
    {"-dumpspecs", STRAIGHT},
    {"-dumpversion", STRAIGHT},
    {"-e", EXACT | SEPARATE | LINKING},
    {"-fPIC", EXACT | PARSING},
    {"-fPIE", EXACT | PARSING},
    {"-fdirectives-only", EXACT | STRAIGHT},
    {"-fexec-charset=", JOINED},
    {"-ffast-math", EXACT | PARSING},
    {"-ffreestanding", EXACT | PARSING},
    {"-ffunction-sections", EXACT | PARSING},
    {"-fgnu89-inline", EXACT | PARSING},
    {"-flto", EXACT | LTO},
    {"-flto=", JOINED | LTO},
    {"-fms-extensions", EXACT | PARSING},
    {"-fno-builtin", JOINED | PARSING},
    {"-fno-function-sections", EXACT | PARSING},
    {"-fno-lto", EXACT | NO_LTO},
    {"-fno-openmp", EXACT},
    {"-fopenmp", EXACT | OPENMP},
    {"-fopenmp=", JOINED | OPENMP},
    {"-fpic", EXACT | PARSING},
    {"-fpie", EXACT | PARSING},
    {"-fplan9-extensions", EXACT},
    {"-fpreprocessed", EXACT | STRAIGHT},
    {"-fshort-enums", EXACT | PARSING},
    {"-fshort-wchar", EXACT | PARSING},
    {"-fsigned-char", EXACT | PARSING},
    {"-fsplit-stack", EXACT | NO_HOOKS},
    {"-fsyntax-only", EXACT | STRAIGHT},
    {"-funsigned-char", EXACT | PARSING},
    {"-gcc-toolchain", EXACT | SEPARATE},
    {"-idirafter", SEPARATE | JOINED | PARSING},
    {"-imacros", SEPARATE | JOINED | PARSING},
    {"-imultilib", SEPARATE | JOINED},
    {"-include", SEPARATE | JOINED | PARSING},
    {"-include-pch", EXACT | SEPARATE},
    {"-iprefix", SEPARATE | JOINED | PARSING},
    {"-iquote", SEPARATE | JOINED | PARSING},
    {"-isysroot", SEPARATE | JOINED | PARSING},
    {"-isystem", SEPARATE | JOINED | PARSING},
    {"-iwithprefix", SEPARATE | JOINED | PARSING},
    {"-iwithprefixbefore", SEPARATE | JOINED | PARSING},
    {"-l", SEPARATE | JOINED | LIBRARY | LINKING},
    {"-m32", EXACT | PARSING | NO_HOOKS},
    {"-m64", EXACT | PARSING},
    {"-maes", EXACT | PARSING},
    {"-march=", JOINED | PARSING},
    {"-masm=", JOINED | NO_HOOKS},
    {"-mavx", JOINED | PARSING},
    {"-mbmi", JOINED | PARSING},
    {"-mcmodel=", JOINED | NO_HOOKS},
    {"-mf16c", EXACT | PARSING},
    {"-mfma", EXACT | PARSING},
    {"-mfunction-return=", JOINED | NO_HOOKS},
    {"-mllvm", EXACT | SEPARATE},
    {"-mpopcnt", EXACT | PARSING},
    {"-msse", JOINED | PARSING},
    {"-mx32", EXACT | NO_HOOKS},
    {"-nodefaultlibs", EXACT | BARE},
    {"-nostdinc", EXACT | PARSING},
    {"-nostdlib", EXACT | BARE},
    {"-o", SEPARATE | JOINED | OUTPUT},
    {"-print-", STRAIGHT},
    {"-pthread", EXACT | PARSING},
    {"-r", EXACT | PARTIAL},
    {"-showme", STRAIGHT},
    {"-static", EXACT | STATIC},
    {"-static-pie", EXACT | STATIC},
    {"-std=", JOINED | PARSING},
    {"-target", EXACT | SEPARATE},
    {"-trigraphs", EXACT | PARSING},
    {"-u", EXACT | SEPARATE | LINKING},
    {"-wrapper", EXACT | SEPARATE},
    {"-x", SEPARATE | JOINED | LANGUAGE},
    {"-z", EXACT | SEPARATE | LINKING},
};

/* Options of the MPI compilers that print something and stop. */
static const char *const mpi_queries[] = {"-show",      "-compile_info", "-compile-info", "-link_info",
                                          "-link-info", "-help",         "--showme"};

static const struct option *find_option(const char *text) {
    const struct option *best = NULL;
    size_t best_length = 0;
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        size_t n = strlen(options[i].name);
        if (strncmp(text, options[i].name, n) != 0 || n < best_length)
            continue;
        bool exact = text[n] == '\0';
        bool joined = (options[i].flags & JOINED) || !(options[i].flags & (EXACT | SEPARATE));
        if (exact ? true : joined) {
            best = &options[i];
            best_length = n;
        }
    }
    return best;
}

/* ---- response files ---- */

static void expand(struct refrain_list *words, const char *word, unsigned depth);

/* Splits words as compilers do: blanks separate them; quotes of both kinds and backslashes protect. */
static void split(struct refrain_list *words, const char *at, unsigned depth) {
    while (*at) {
        struct refrain_text word = {0};
        while (isspace((unsigned char)*at))
            at++;
        if (!*at)
            break;
        char quote = '\0';
        refrain_text_bytes(&word, "", 0);
        for (; *at && (quote || !isspace((unsigned char)*at)); at++) {
            if (*at == '\\' && at[1])
                refrain_text_bytes(&word, ++at, 1);
            else if (quote ? *at == quote : *at == '"' || *at == '\'')
                quote = quote ? '\0' : *at;
            else
                refrain_text_bytes(&word, at, 1);
        }
        expand(words, word.bytes, depth);
        refrain_text_free(&word);
    }
}

static void expand(struct refrain_list *words, const char *word, unsigned depth) {
    struct refrain_text text = {0};
    if (word[0] == '@' && depth < 100 && refrain_text_read(&text, word + 1))
        split(words, text.bytes, depth + 1);
    else
        refrain_list_add(words, word);
    refrain_text_free(&text);
}

/* ---- reading ---- */

static bool is_cxx_compiler(const struct refrain_list *compiler) {
    const char *name = refrain_text_basename(compiler->items[compiler->count - 1]);
    return strstr(name, "++") || strstr(name, "cxx") || strstr(name, "CC") || strcmp(name, "icpc") == 0 ||
           strcmp(name, "icpx") == 0 || strcmp(name, "nvcc") == 0;
}

static bool is_c_source(const char *path, const char *language) {
    if (language)
        return strcmp(language, "c") == 0;
    const char *dot = strrchr(refrain_text_basename(path), '.');
    return dot && strcmp(dot, ".c") == 0;
}

/* True for sources in C++ and Fortran. */
static bool is_compiled_source(const char *path, const char *language) {
    static const char *const endings[] = {".C", ".cc",  ".cp",  ".cpp", ".CPP", ".cxx", ".c++",
                                          ".f", ".for", ".ftn", ".f90", ".f95", ".f03", ".f08",
                                          ".F", ".FOR", ".F90", ".F95", ".F03", ".F08", ".fpp"};
    const char *dot = strrchr(refrain_text_basename(path), '.');
    if (language)
        return strcmp(language, "c++") == 0 || strncmp(language, "f", 1) == 0;
    for (size_t i = 0; dot && i < sizeof endings / sizeof endings[0]; i++)
        if (strcmp(dot, endings[i]) == 0)
            return true;
    return false;
}

static bool is_assembler_source(const char *path, const char *language) {
    const char *dot = strrchr(refrain_text_basename(path), '.');
    if (language)
        return strncmp(language, "assembler", strlen("assembler")) == 0;
    return dot && (strcmp(dot, ".s") == 0 || strcmp(dot, ".S") == 0 || strcmp(dot, ".sx") == 0);
}

/* When compiled by itself, it becomes a precompiled header. */
static bool is_header(const char *path, const char *language) {
    if (language)
        return strstr(language, "-header") != NULL;
    const char *dot = strrchr(refrain_text_basename(path), '.');
    return dot && (strcmp(dot, ".h") == 0 || strcmp(dot, ".hh") == 0 || strcmp(dot, ".hpp") == 0);
}

static void take_preprocessor(struct refrain_command *command, const char *value) {
    const char *name = strncmp(value, "-MD,", 4) == 0 ? value + 4 : strncmp(value, "-MMD,", 5) == 0 ? value + 5 : NULL;
    if (!name)
        return;
    command->makes_depend = true;
    refrain_list_format(&command->words, "%.*s", (int)strcspn(name, ","), name);
    command->depend = command->words.items[command->words.count - 1];
}

static void take_option(struct refrain_command *command, const struct option *option, const char *value,
                        const char **language) {
    unsigned flags = option->flags;
    if (flags & STRAIGHT)
        command->mode = REFRAIN_COMMAND_STRAIGHT;
    else if ((flags & NO_LINK) && command->mode == REFRAIN_COMMAND_LINK)
        command->mode = REFRAIN_COMMAND_COMPILE;
    command->makes_depend |= (flags & DEPEND) != 0;
    command->partial |= (flags & PARTIAL) != 0;
    command->is_static |= (flags & STATIC) != 0;
    command->bare |= (flags & BARE) != 0;
    command->lto = (command->lto || (flags & LTO)) && !(flags & NO_LTO);
    command->no_hooks |= (flags & NO_HOOKS) != 0;
    if (flags & OUTPUT)
        command->output = value;
    if (flags & DEPEND_FILE)
        command->depend = value;
    if (flags & LANGUAGE)
        *language = value && strcmp(value, "none") != 0 ? value : NULL;
    if ((flags & PREPROCESSOR) && value)
        take_preprocessor(command, value);
}

static struct refrain_argument *add_argument(struct refrain_command *command) {
    command->arguments =
        refrain_memory_grow(command->arguments, &command->capacity, command->count + 1, sizeof *command->arguments);
    command->arguments[command->count] = (struct refrain_argument){0};
    return &command->arguments[command->count++];
}

void refrain_command_read(struct refrain_command *command, char *const *compiler, size_t n_compiler,
                          char *const *arguments, size_t n_arguments) {
    const char *language = NULL;
    size_t n_inputs = 0;
    *command = (struct refrain_command){.mode = REFRAIN_COMMAND_LINK};
    for (size_t i = 0; i < n_compiler; i++)
        refrain_list_add(&command->compiler, compiler[i]);
    for (size_t i = 0; i < n_arguments; i++)
        expand(&command->words, arguments[i], 0);
    bool cxx = is_cxx_compiler(&command->compiler);
    size_t n_words = command->words.count;
    for (size_t i = 0; i < n_words; i++) {
        const char *text = command->words.items[i];
        struct refrain_argument *argument = add_argument(command);
        argument->text = text;
        if (text[0] != '-') {
            bool source = !cxx && is_c_source(text, language);
            argument->kind = source ? REFRAIN_ARGUMENT_SOURCE : REFRAIN_ARGUMENT_INPUT;
            command->n_sources += source;
            command->n_compiled += is_compiled_source(text, language) || (cxx && is_c_source(text, language));
            command->n_assembled += is_assembler_source(text, language);
            if (is_header(text, language))
                command->mode = REFRAIN_COMMAND_STRAIGHT;
            n_inputs++;
            continue;
        }
        if (text[1] == '\0') { /* standard input */
            command->mode = REFRAIN_COMMAND_STRAIGHT;
            continue;
        }
        for (size_t q = 0; q < sizeof mpi_queries / sizeof mpi_queries[0]; q++)
            if (strcmp(text, mpi_queries[q]) == 0)
                command->mode = REFRAIN_COMMAND_STRAIGHT;
        const struct option *option = find_option(text);
        if (!option)
            continue;
        const char *value = NULL;
        if (text[strlen(option->name)] != '\0') {
            value = text + strlen(option->name);
        } else if ((option->flags & SEPARATE) && i + 1 < n_words) {
            argument->value = value = command->words.items[++i];
        }
        argument->flags = option->flags;
        argument->links = (option->flags & LINKING) != 0;
        if (option->flags & LIBRARY)
            argument->kind = REFRAIN_ARGUMENT_LIBRARY;
        n_inputs += (option->flags & LIBRARY) != 0;
        take_option(command, option, value, &language);
    }
    if (n_inputs == 0)
        command->mode = REFRAIN_COMMAND_STRAIGHT;
}

/* ---- for libclang ---- */

static void add_preprocessor_flags(struct refrain_list *flags, const char *value) {
    if (strncmp(value, "-M", 2) == 0)
        return;
    while (*value) {
        size_t n = strcspn(value, ",");
        if (n > 2 && value[0] == '-' && strchr("DUI", value[1]))
            refrain_list_format(flags, "%.*s", (int)n, value);
        value += n + (value[n] == ',');
    }
}

/* New names of standards, and older names for the same, which every libclang knows. */
static const char *const standards[][2] = {{"c23", "c2x"}, {"gnu23", "gnu2x"}, {"iso9899:2024", "c2x"}};

static bool add_standard(struct refrain_list *flags, const char *text) {
    const char *name = strstr(text, "-std=");
    if (!name)
        return false;
    for (size_t i = 0; i < sizeof standards / sizeof standards[0]; i++) {
        if (strcmp(name + 5, standards[i][0]) == 0) {
            refrain_list_format(flags, "-std=%s", standards[i][1]);
            return true;
        }
    }
    return false;
}

static void add_flag(struct refrain_list *flags, const struct refrain_argument *argument) {
    if (add_standard(flags, argument->text))
        return;
    if (argument->flags & PARSING) {
        refrain_list_add(flags, argument->text);
        if (argument->value)
            refrain_list_add(flags, argument->value);
    } else if (argument->flags & OPENMP) {
        refrain_list_add(flags, "-D_OPENMP=201511");
    } else if (argument->flags & PREPROCESSOR) {
        add_preprocessor_flags(flags, argument->value ? argument->value : argument->text + strlen("-Wp,"));
    }
}

void refrain_command_flags(const struct refrain_command *command, struct refrain_list *flags) {
    for (size_t i = 0; i < command->count; i++)
        if (command->arguments[i].kind == REFRAIN_ARGUMENT_OPTION)
            add_flag(flags, &command->arguments[i]);
    refrain_list_add(flags, "-DREFRAIN_INSTRUMENTED=1");
}

void refrain_command_flags_of(char *const *arguments, size_t n_arguments, struct refrain_list *flags) {
    static char compiler[] = "cc";
    struct refrain_command command;
    refrain_command_read(&command, (char *[]){compiler}, 1, arguments, n_arguments);
    refrain_command_flags(&command, flags);
    refrain_command_free(&command);
}

void refrain_command_free(struct refrain_command *command) {
    refrain_list_free(&command->compiler);
    refrain_list_free(&command->words);
    free(command->arguments);
    *command = (struct refrain_command){0};
}
