/* host.c: a program that loads a library twice. The library has an `act` of its own that makes events; the program's
 * own makes none until then, as far as anybody can tell. A child, which is not traced, is forked when the library is
 * gone. Usage: host LIBRARY */
#include "sites.h"
#include <dlfcn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int act(int n);

static int use(const char *path) {
    void *library = dlopen(path, RTLD_NOW);
    int sum = 0;
    if (!library) {
        printf("%s\n", dlerror());
        return 0;
    }
    int (*enact)(int) = (int (*)(int))dlsym(library, "enact");
    void (*report)(void) = (void (*)(void))dlsym(library, "report");
    for (int i = 0; i < 5; i++)
        sum += enact(i);
    report();
    dlclose(library);
    return sum;
}

static void fork_child(void) {
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        sites_print("child");
        _exit(0);
    }
    waitpid(child, &status, 0);
    printf("status %x\n", (unsigned)status);
    fflush(stdout);
}

__attribute__((noinline)) int ask(int n) {
    int sum = 0;
    for (int i = 0; i < n; i++)
        if (i % 3)
            sum += act(i);
    return sum;
}

int main(int argc, char **argv) {
    printf("%d\n", ask(7));
    sites_print("before");
    for (int i = 0; argc > 1 && i < 2; i++) {
        printf("%d\n", use(argv[1]));
        sites_print("after");
        fork_child();
        printf("%d\n", ask(7));
    }
    sites_print_maps();
    return 0;
}
