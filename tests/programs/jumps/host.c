/* host.c: a program that loads a library twice. The library has an `act` of its own that makes events; the program's own
 * makes none until then, as far as anybody can tell. Usage: host LIBRARY */
#include "sites.h"
#include <dlfcn.h>
#include <stdio.h>

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
        printf("%d\n", ask(7));
    }
    sites_print_maps();
    return 0;
}
