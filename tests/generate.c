/* generate.c: writes a C program with random control flow and events at its leaves.
 *
 *     generate SEED [mpi]    to standard output; the same program for the same seed
 *
 * The program takes a number of rounds, ends by itself, does the same in every build of it, and prints a check sum per
 * rank. Its events are user regions and, with `mpi`, messages: to itself, and to the next rank, which receives them with
 * wildcards at the end of a round. What it does depends on the rank. */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FUNCTIONS = 9 };

static uint64_t state;
static int mpi, n_functions, n_labels, indent, budget;

/* Properties of the place where a statement is generated. */
struct place {
    int in_loop, in_switch; /* break is allowed; continue in_loop only */
    int guarded;            /* in the body of a setjmp: no return, no jump out */
    int depth;
    int scoped; /* among variables that end with a block: clang takes every label for a target of each computed goto */
};

static unsigned below(unsigned n) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)((state >> 11) % n);
}

static void line(const char *format, ...) {
    va_list list;
    printf("%*s", indent * 4, "");
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
    putchar('\n');
}

/* ---- expressions, written into a buffer ---- */

static char text[64][4096];
static int n_text;

static const char *keep(const char *format, ...) {
    char *to = text[n_text++ % 64];
    va_list list;
    va_start(list, format);
    vsnprintf(to, sizeof text[0], format, list);
    va_end(list);
    return to;
}

/* Without side effects. */
static const char *simple(void) {
    switch (below(6)) {
    case 0: return keep("%u", below(5));
    case 1: return "n";
    case 2: return "x";
    case 3: return keep("(n + %u)", below(7));
    case 4: return keep("x %% %u", 2 + below(5));
    default: return keep("round %% %u", 2 + below(6));
    }
}

static const char *call(int depth);

/* May call; the order of its operands is the compiler's. */
static const char *expression(int depth) {
    if (depth <= 0 || below(4) == 0)
        return below(3) ? keep("leaf(%s)", simple()) : simple();
    const char *a, *b, *c;
    switch (below(12)) {
    case 0: a = expression(depth - 1), b = expression(depth - 1); return keep("(%s + %s)", a, b);
    case 1: a = expression(depth - 1), b = expression(depth - 1), c = expression(depth - 1);
        return keep("(%s - %s * (%s))", a, b, c);
    case 2: a = expression(depth - 1), b = expression(depth - 1), c = expression(depth - 1);
        return keep("((%s) %% 2 ? %s : %s)", a, b, c);
    case 3: a = expression(depth - 1), b = expression(depth - 1); return keep("((%s) %% 3 && %s)", a, b);
    case 4: a = expression(depth - 1), b = expression(depth - 1); return keep("((%s) %% 2 || %s)", a, b);
    case 5: a = expression(depth - 1), b = expression(depth - 1); return keep("(%s, %s)", a, b);
    case 6: a = expression(depth - 1), b = expression(depth - 1); return keep("((%s) %% 2 ?: %s)", a, b);
    case 7: a = expression(depth - 1), b = expression(depth - 1);
        return keep("({ int y = %s; if (y %% 2) y += %s; y; })", a, b);
    case 8: a = expression(depth - 1); return keep("!(%s)", a);
    case 9: a = expression(depth - 1), b = expression(depth - 1); return keep("(int[]){%s, %s}[n %% 2 != 0]", a, b);
    case 10: a = expression(depth - 1), b = expression(depth - 1); return keep("many(2, %s, %s)", a, b);
    default: return call(depth);
    }
}

static const char *call(int depth) {
    const char *argument = below(3) ? simple() : expression(depth - 1);
    switch (below(8)) {
    case 0: return keep("table[wrap(%s, %d)](%s)", simple(), n_functions, argument);
    case 1: return keep("TWICE_OF(leaf(%s))", argument);
    case 2: return keep("sorted(%s)", argument);
    case 3: return keep("(int)(sizeof(leaf(1)) / 4 * leaf(%s))", argument);
    default: return keep("f%u(%s)", below((unsigned)n_functions), argument);
    }
}

static const char *condition(void) {
    switch (below(4)) {
    case 0: return keep("value(%u)", 2 + below(4));
    case 1: return keep("(%s) %% %u", simple(), 2 + below(3));
    case 2: return keep("(%s) %% %u == %u", expression(1), 2 + below(4), below(3));
    default: return expression(2);
    }
}

/* ---- statements ---- */

static void statements(struct place place, int count);

static void braced(const char *head, struct place place) {
    line("%s {", head);
    indent++;
    statements(place, 1 + (int)below(3));
    indent--;
    line("}");
}

/* One statement without braces. */
static void unbraced(void) {
    indent++;
    line("x += %s;", expression(1));
    indent--;
}

static void loop(struct place place) {
    int id = n_labels++;
    place.in_loop = place.in_switch = 1;
    const char *bound = below(3) ? keep("%u", below(5)) : below(2) ? keep("value(%u)", 2 + below(4)) : keep("wrap(%s, 5)", simple());
    switch (below(7)) {
    case 0: braced(keep("for (int i%d = 0; i%d < %s; i%d++)", id, id, bound, id), place); break;
    case 1: /* triangular */
        line("for (int i%d = 0; i%d < 4; i%d++)", id, id, id);
        indent++;
        braced(keep("for (int j%d = 0; j%d < i%d; j%d++)", id, id, id, id), place);
        indent--;
        break;
    case 2:
        line("int k%d = %s;", id, bound);
        braced(keep("while (k%d-- > 0)", id), place);
        break;
    case 3:
        line("int k%d = %s;", id, bound);
        braced("do", place);
        line("while (--k%d > 0%s);", id, below(2) ? keep(" && leaf(%u) != 77", below(9)) : "");
        break;
    case 4:
        line("for (int k%d = 0;;) {", id);
        indent++;
        line("if (k%d++ >= 3 || %s)", id, condition());
        line("    break;");
        statements(place, 2);
        indent--;
        line("}");
        break;
    case 5:
        line("REPEAT(%s)", bound);
        unbraced();
        break;
    default:
        line("for (int i%d = 0; i%d < %u; i%d++)", id, id, 1 + below(60), id);
        unbraced();
    }
}

static void select_one(struct place place) {
    struct place inside = place;
    inside.in_switch = 1;
    int id = n_labels++;
    if (below(4) == 0) { /* a loop that is entered at a case */
        line("int t%d = 1 + (int)value(3);", id);
        line("switch ((unsigned)(%s) %% 3) {", simple());
        line("case 0:");
        line("    do {");
        line("        leaf(%u); /* fall through */", below(9));
        line("case 1:");
        line("        leaf(%u); /* fall through */", below(9));
        line("case 2:");
        line("        leaf(%u);", below(9));
        line("    } while (--t%d > 0);", id);
        line("}");
        return;
    }
    line("switch ((unsigned)(%s) %% 7) {", expression(1));
    int other = (int)below(5);
    for (int i = 0; i < 5; i++) {
        line(i == other ? "default:;" : i == 2 ? "case 2 ... 3:;" : "case %d:;", i > 2 ? i + 1 : i);
        indent++;
        statements(inside, 1 + (int)below(2));
        if (below(3))
            line("break;");
        indent--;
    }
    line("    ;");
    line("}");
}

static void jump(struct place place) {
    int id = n_labels++;
    switch (below(place.scoped ? 3 : 4)) {
    case 0: /* backwards */
        line("{");
        indent++;
        line("int g%d = 0;", id);
        printf("again%d:;\n", id);
        statements(place, 1);
        line("if (++g%d < 3 && %s)", id, condition());
        line("    goto again%d;", id);
        indent--;
        line("}");
        break;
    case 1: /* forwards, out of a loop */
        line("for (int i%d = 0; i%d < 3; i%d++)", id, id, id);
        line("    if (%s)", condition());
        line("        goto out%d;", id);
        line("x += leaf(%u);", below(9));
        printf("out%d:\n", id);
        line("leaf(x);");
        break;
    case 2: /* into a block */
        line("if (%s)", condition());
        line("    goto in%d;", id);
        line("if (%s) {", condition());
        indent++;
        line("leaf(%u);", below(9));
        printf("in%d:;\n", id);
        line("x += leaf(%u);", below(9));
        indent--;
        line("}");
        break;
    default: /* computed */
        line("{");
        indent++;
        line("static const void *const to%d[] = {&&a%d, &&b%d, &&c%d};", id, id, id, id);
        line("goto *to%d[wrap(%s, 3)];", id, simple());
        printf("a%d:\n", id);
        line("leaf(%u);", below(9));
        printf("b%d:\n", id);
        line("leaf(%u);", below(9));
        printf("c%d:;\n", id);
        indent--;
        line("}");
    }
}

static void chain(struct place place) {
    int arms = 1 + (int)below(3);
    for (int i = 0; i < arms; i++) {
        if (below(3)) {
            line("%sif (%s) {", i ? "else " : "", condition());
            indent++;
            statements(place, 1 + (int)below(2));
            indent--;
            line("}");
        } else {
            line("%sif (%s)", i ? "else " : "", condition());
            unbraced();
        }
    }
    if (below(2)) {
        line("else");
        unbraced();
    }
}

static void land(struct place place) {
    int id = n_labels++;
    struct place inside = {.guarded = 1, .depth = place.depth, .scoped = place.scoped};
    line("jmp_buf here%d, *volatile outer%d = landing;", id, id);
    line("if (setjmp(here%d) == 0) {", id);
    indent++;
    line("landing = &here%d;", id);
    statements(inside, 2);
    indent--;
    line("} else");
    unbraced();
    line("landing = outer%d;", id);
}

static void statement(struct place place) {
    place.depth++;
    if (budget-- <= 0 || place.depth > 4) {
        line("x += leaf(%s);", simple());
        return;
    }
    switch (below(22)) {
    case 0: case 1: case 2: loop(place); break;
    case 3: case 4: chain(place); break;
    case 5: select_one(place); break;
    case 6: jump(place); break;
    case 7: case 8: line("x += %s;", call(2)); break;
    case 9: case 10: line("x += %s;", expression(3)); break;
    case 11: line("DO(%s);", call(1)); break;
    case 12:
        line("UNLESS (%s)", condition());
        unbraced();
        break;
    case 13:
        if (place.in_loop && below(2)) {
            line("if (%s)", condition());
            line("    continue;");
        } else if (place.in_switch) {
            line("if (%s)", condition());
            line("    break;");
        }
        line("leaf(%s);", simple());
        break;
    case 14:
        if (!place.guarded) {
            line("if (%s)", condition());
            line("    return %s;", expression(2));
        }
        break;
    case 15: land(place); break;
    case 16: line("throw(%u);", 2 + below(8)); break;
    case 17:
        line("{");
        indent++;
        line("__attribute__((cleanup(tidy))) int c = %s;", simple());
        line("int array[1 + wrap(%s, 4)];", expression(1));
        line("array[0] = c;");
        place.scoped = 1;
        statements(place, 1);
        line("x += array[0];");
        indent--;
        line("}");
        break;
    case 18: line("raise(SIGUSR1);"); break;
    case 19:
        line("OPEN(%s)", condition());
        statements(place, 1);
        line("CLOSE");
        break;
    case 20: line("refrain_region_begin(\"part %u\");", below(4)); line("x += %s;", expression(2)); line("refrain_region_end();"); break;
    default: line("int v%d[] = {%s, %s};", n_labels, expression(1), expression(1)); line("x += v%d[1];", n_labels++);
    }
}

static void statements(struct place place, int count) {
    for (int i = 0; i < count; i++)
        statement(place);
}

/* ---- the program ---- */

static const char head[] =
    "#include <refrain/refrain.h>\n"
    "#include <setjmp.h>\n#include <signal.h>\n#include <stdarg.h>\n#include <stdio.h>\n#include <stdlib.h>\n\n"
    "static unsigned seed = 1, sum;\n"
    "static int rank, round, depth, fuel, exit_early;\n"
    "static jmp_buf *landing;\n\n"
    "/* From 0 to bound - 1: sometimes regular, sometimes not. */\n"
    "static int value(int bound) {\n"
    "    seed = seed * 1664525u + 1013904223u;\n"
    "    return (int)((round % 3 ? (unsigned)round : seed >> 16) % (unsigned)bound);\n"
    "}\n\n"
    "static int wrap(int n, int bound) {\n"
    "    return (int)((unsigned)n % (unsigned)bound);\n"
    "}\n\n";

static const char leaf_regions[] =
    "static int leaf(int n) {\n"
    "    static const char *const names[] = {\"red\", \"green\", \"blue\"};\n"
    "    sum = sum * 31 + (unsigned)n;\n"
    "    refrain_region_begin(names[wrap(n, 3)]);\n"
    "    refrain_region_end();\n"
    "    return wrap(n, 1000) + 1;\n"
    "}\n\n";

static const char leaf_messages[] =
    "static int size, sent;\n\n"
    "static int leaf(int n) {\n"
    "    int in = 0;\n"
    "    MPI_Request requests[2];\n"
    "    sum = sum * 31 + (unsigned)n;\n"
    "    switch (wrap(n, 5)) {\n"
    "    case 0:\n"
    "        MPI_Sendrecv(&n, 1, MPI_INT, 0, wrap(n, 9), &in, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_SELF, MPI_STATUS_IGNORE);\n"
    "        break;\n"
    "    case 1:\n"
    "        MPI_Barrier(MPI_COMM_SELF);\n"
    "        break;\n"
    "    case 2:\n"
    "        MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_SELF, &requests[0]);\n"
    "        MPI_Isend(&n, 1, MPI_INT, 0, 3, MPI_COMM_SELF, &requests[1]);\n"
    "        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);\n"
    "        break;\n"
    "    case 3:\n"
    "        if (size > 1) { /* a send to oneself would wait for its receive */\n"
    "            MPI_Send(&n, 1, MPI_INT, (rank + 1) % size, wrap(n, 4), MPI_COMM_WORLD);\n"
    "            sent++;\n"
    "        }\n"
    "        break;\n"
    "    default:\n"
    "        refrain_region_begin(\"leaf\");\n"
    "        refrain_region_end();\n"
    "    }\n"
    "    return wrap(n, 1000) + 1;\n"
    "}\n\n"
    "static void settle(void) {\n"
    "    int expected, in;\n"
    "    MPI_Sendrecv(&sent, 1, MPI_INT, (rank + 1) % size, 77, &expected, 1, MPI_INT, (rank + size - 1) % size, 77, MPI_COMM_WORLD,\n"
    "                 MPI_STATUS_IGNORE);\n"
    "    for (int i = 0; i < expected; i++) {\n"
    "        MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n"
    "        sum = sum * 31 + (unsigned)in;\n"
    "    }\n"
    "    MPI_Barrier(MPI_COMM_WORLD);\n"
    "    sent = 0;\n"
    "}\n\n";

static const char helpers[] =
    "#define DO(what)                                                                                                       \\\n"
    "    do {                                                                                                               \\\n"
    "        x += what;                                                                                                     \\\n"
    "        if (x % 2)                                                                                                     \\\n"
    "            leaf(x);                                                                                                   \\\n"
    "    } while (0)\n"
    "#define TWICE_OF(what) ((what) + (what))\n"
    "#define UNLESS(...) if (!(__VA_ARGS__))\n"
    "#define REPEAT(n) for (int repeat = (n); repeat > 0; repeat--)\n"
    "#define OPEN(...) if (__VA_ARGS__) {\n"
    "#define CLOSE }\n\n"
    "static void throw(int odds) {\n"
    "    if (landing && value(odds) == 0)\n"
    "        longjmp(*landing, 1);\n"
    "    leaf(odds);\n"
    "}\n\n"
    "static void tidy(int *c) {\n"
    "    leaf(*c);\n"
    "}\n\n"
    "static void on_signal(int number) {\n"
    "    (void)number;\n"
    "    refrain_region_begin(\"signal\");\n"
    "    refrain_region_end();\n"
    "}\n\n"
    "static int compare(const void *a, const void *b) {\n"
    "    leaf(*(const int *)a);\n"
    "    return *(const int *)a - *(const int *)b;\n"
    "}\n\n"
    "static int sorted(int n) {\n"
    "    int values[4];\n"
    "    for (int i = 0; i < 4; i++)\n"
    "        values[i] = wrap(n * 7 + i * 5, 6);\n"
    "    qsort(values, 4, sizeof *values, compare);\n"
    "    return values[0];\n"
    "}\n\n"
    "static int many(int n, ...) {\n"
    "    va_list list;\n"
    "    int total = 0;\n"
    "    va_start(list, n);\n"
    "    while (n-- > 0)\n"
    "        total += leaf(va_arg(list, int));\n"
    "    va_end(list);\n"
    "    return wrap(total, 999);\n"
    "}\n\n";

static void functions(void) {
    for (int f = 0; f < n_functions; f++)
        printf("%sint f%d(int n);\n", f % 2 ? "static " : "", f);
    printf("\nstatic int (*const table[])(int) = {");
    for (int f = 0; f < n_functions; f++)
        printf("%sf%d", f ? ", " : "", f);
    printf("};\n");
    for (int f = 0; f < n_functions; f++) {
        budget = 12;
        printf("\n%sint f%d(int n) {\n", f % 2 ? "static " : "", f);
        indent = 1;
        line("volatile int x = wrap(n, 100);");
        line("if (--fuel < 0)");
        if (!mpi && f == 0) {
            line("    return exit_early ? exit(3), 0 : 0;");
        } else
            line("    return 0;");
        line("n = wrap(n, 1000);");
        statements((struct place){0}, 3 + (int)below(4));
        line("return wrap(x, 1000);");
        printf("}\n");
    }
}

int main(int argc, char **argv) {
    if (argc < 2 || (argc > 2 && strcmp(argv[2], "mpi") != 0)) {
        fprintf(stderr, "usage: generate SEED [mpi]\n");
        return 2;
    }
    state = strtoull(argv[1], NULL, 0) * 0x9e3779b97f4a7c15u + 0x2545f4914f6cdd1du;
    mpi = argc > 2;
    for (int i = 0; i < 8; i++)
        below(2);
    n_functions = 3 + (int)below(MAX_FUNCTIONS - 3);
    printf("/* From generate.c, seed %s%s. Usage: a.out [ROUNDS] */\n", argv[1], mpi ? ", mpi" : "");
    if (mpi)
        printf("#include <mpi.h>\n");
    fputs(head, stdout);
    fputs(mpi ? leaf_messages : leaf_regions, stdout);
    fputs(helpers, stdout);
    functions();
    printf("\nstatic void finish(void) {\n    leaf(5);\n    printf(\"rank %%d: %%u\\n\", rank, sum);\n%s}\n", mpi ? "    MPI_Finalize();\n" : "");
    printf("\nint main(int argc, char **argv) {\n    int rounds = argc > 1 ? atoi(argv[1]) : 5;\n");
    if (mpi)
        printf("    MPI_Init(&argc, &argv);\n    MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n    MPI_Comm_size(MPI_COMM_WORLD, &size);\n");
    printf("    seed += (unsigned)rank;\n    signal(SIGUSR1, on_signal);\n    atexit(finish);\n"
           "    for (round = 0; round < rounds; round++) {\n"
           "        fuel = 120;\n        exit_early = round == 3 && %d;\n"
           "        landing = NULL;\n        sum += (unsigned)f%u(round + rank);\n%s    }\n    return 0;\n}\n",
           (int)below(3) == 0, below((unsigned)n_functions), mpi ? "        settle();\n" : "");
    return 0;
}
