/* list: writes table.c, the table of the tasks that are named. The build runs it. */
#include <stdio.h>

static void line(const char *name) {
    printf("    {\"%s\", %s},\n", name, name);
}

int main(int argc, char **argv) {
    puts("#include \"farm.h\"\n#include <stddef.h>\nconst struct task tasks[] = {");
    for (int i = 1; i < argc; i++)
        line(argv[i]);
    puts("    {NULL, NULL}};\nint count_tasks(void) {\n    int n = 0;\n    while (tasks[n].name)\n        n++;\n    return n;\n}");
    return 0;
}
