/* stacks.c: functions that run on other stacks than the thread's. A handler has a stack of its own above the frames
 * that it interrupts; a coroutine is switched to and from, on a stack above them or below. stacks handler | above |
 * below */
#define _GNU_SOURCE
#include <refrain/refrain.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define STACK_BYTES 262144
#define ROUNDS 20

static ucontext_t main_context, other_context;
static volatile int steps;
static char low_stack[STACK_BYTES];

__attribute__((noinline)) static void mark(int value) {
    refrain_region_begin("mark");
    steps += value;
    refrain_region_end();
}

static void handle(int signal) {
    (void)signal;
    mark(1);
    mark(2);
}

__attribute__((noinline)) static void work(int round) {
    mark(3);
    raise(SIGUSR1);
    mark(round % 3);
}

/* Its frame, and the handler's stack in it, lie above all that it calls. */
static void with_handler(void) {
    char high_stack[STACK_BYTES];
    stack_t stack = {.ss_sp = high_stack, .ss_size = sizeof high_stack};
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
    sigaltstack(&stack, NULL);
    sigaction(SIGUSR1, &action, NULL);
    for (int round = 0; round < ROUNDS; round++)
        work(round);
    stack.ss_flags = SS_DISABLE;
    sigaltstack(&stack, NULL);
}

__attribute__((noinline)) static void yield(void) {
    mark(1);
    swapcontext(&other_context, &main_context);
    mark(2);
}

static void coroutine(void) {
    for (int round = 0; round < ROUNDS; round++)
        yield();
}

__attribute__((noinline)) static void resume(void) {
    mark(5);
    swapcontext(&main_context, &other_context);
    mark(7);
}

static void with_coroutine(char *stack) {
    getcontext(&other_context);
    other_context.uc_stack.ss_sp = stack;
    other_context.uc_stack.ss_size = STACK_BYTES;
    other_context.uc_link = &main_context;
    makecontext(&other_context, coroutine, 0);
    for (int round = 0; round <= ROUNDS; round++)
        resume();
}

static void above(void) {
    char high_stack[STACK_BYTES];
    memset(high_stack, 0, sizeof high_stack);
    with_coroutine(high_stack);
}

int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "";
    if (strcmp(how, "handler") == 0)
        with_handler();
    else if (strcmp(how, "above") == 0)
        above();
    else
        with_coroutine(low_stack);
    printf("stacks: %d\n", steps);
    return 0;
}
