/* proxy_call_write.c: writes a call from its text, with an expression for each argument (proxy_calls.c).
 *
 *     MPI_Send(out, {n}, MPI_BYTE, {d}, {t}, {c})    ->    long long d = next(&q12d);
 *                                                          MPI_Send(out, 800, MPI_BYTE, d, 7, MPI_COMM_WORLD);
 *
 * A value from a table is taken once for each call, so it gets a variable of its own. */
#define _GNU_SOURCE
#include "predict/proxy_write.h"

#include <ctype.h>

struct expression {
    char *value; /* malloced; null: the call has no such argument */
    size_t bytes;
    bool constant; /* it is one number */
    int64_t number;
};

struct call {
    struct refrain_proxy_output *output;
    const struct refrain_program_item *item;
    size_t number; /* of the item */
    int indent;
    FILE *out;
    struct expression expressions[REFRAIN_PROXY_ARGUMENTS];
    bool declared; /* some variable was declared, so the call is in a block of its own */
    bool no_memory;
};

static void begin_block(struct call *call) {
    if (!call->declared)
        fprintf(call->out, "%*s{\n", call->indent, "");
    call->declared = true;
}

/* Finds the expression of an argument, and declares a variable if it takes a value from a sequence. */
static void find_expression(struct call *call, enum refrain_proxy_argument argument) {
    const struct refrain_value *value = &call->item->arguments[argument];
    struct expression *expression = &call->expressions[argument];
    if (value->kind == REFRAIN_VALUE_NONE || argument == REFRAIN_PROXY_EACH || argument == REFRAIN_PROXY_SIZES)
        return;
    char name[32];
    snprintf(name, sizeof name, "%zu%c", call->number, refrain_proxy_argument_letters[argument]);
    FILE *stream = open_memstream(&expression->value, &expression->bytes);
    if (!stream) {
        call->no_memory = true;
        return;
    }
    expression->constant = refrain_value_constant(value, &expression->number);
    refrain_proxy_write_value(call->output, value, name, stream);
    call->no_memory |= fclose(stream) != 0;
    if (value->kind == REFRAIN_VALUE_ONE || value->kind == REFRAIN_VALUE_RANKS || call->no_memory)
        return;
    begin_block(call);
    fprintf(call->out, "%*slong long %c = %s;\n", call->indent + 4, "", refrain_proxy_argument_letters[argument],
            expression->value);
    snprintf(expression->value, expression->bytes + 1, "%c", refrain_proxy_argument_letters[argument]);
}

/* Fills an array of the program with the values of an argument that a call has several of. */
static void fill(struct call *call, const char *array, enum refrain_proxy_argument argument, const char *times,
                 enum refrain_proxy_argument count) {
    const struct refrain_value *value = &call->item->arguments[argument];
    if (value->kind == REFRAIN_VALUE_NONE)
        return;
    char name[32];
    snprintf(name, sizeof name, "%zu%c", call->number, refrain_proxy_argument_letters[argument]);
    begin_block(call);
    fprintf(call->out, "%*sfor (int i = 0; i < %s%s; i++)\n%*s%s[i] = ", call->indent + 4, "", times,
            call->expressions[count].value, call->indent + 8, "", array);
    fputs(argument == REFRAIN_PROXY_SIZES ? "(int)(" : "", call->out);
    refrain_proxy_write_value(call->output, value, name, call->out);
    fputs(argument == REFRAIN_PROXY_SIZES ? ");\n" : ";\n", call->out);
}

static void write_comm(const struct call *call, const struct expression *comm) {
    if (comm->constant && comm->number < 2)
        fputs(comm->number ? "MPI_COMM_SELF" : "MPI_COMM_WORLD", call->out);
    else if (call->item->arguments[REFRAIN_PROXY_DEST].kind || call->item->arguments[REFRAIN_PROXY_SOURCE].kind)
        fprintf(call->out, "comm_of(%s)", comm->value); /* it is free if the message goes to nobody */
    else
        fprintf(call->out, "comm[%s]", comm->value);
}

/* A rank or tag that may be none or any. */
static void write_special(const struct call *call, enum refrain_proxy_argument argument, const char *none,
                          const char *any) {
    const struct expression *expression = &call->expressions[argument];
    if (!call->item->arguments[argument].negative)
        fputs(expression->value, call->out);
    else if (expression->constant)
        fputs(expression->number == REFRAIN_PROXY_NONE ? none : any, call->out);
    else
        fprintf(call->out, "special(%s, %s, %s)", expression->value, none, any);
}

/* Where a call stores the request that it makes. The trace gives none to those of persistent messages to nobody. */
static void write_made_request(const struct call *call, const struct expression *expression) {
    if (!call->item->arguments[REFRAIN_PROXY_REQUEST].negative)
        fprintf(call->out, "&request[%s]", expression->value);
    else
        fprintf(call->out, "%s < 0 ? &unknown : &request[%s]", expression->value, expression->value);
}

/* `no`: the argument of a call without requests. */
static void write_requests(const struct call *call, const char *no) {
    const struct expression *first = &call->expressions[REFRAIN_PROXY_FIRST];
    const struct expression *count = &call->expressions[REFRAIN_PROXY_COUNT];
    if (call->item->scattered)
        fprintf(call->out, "collected(%s)", count->value);
    else if (count->constant && count->number == 0)
        fputs(no, call->out);
    else if (count->constant)
        fprintf(call->out, "&request[%s]", first->value);
    else
        fprintf(call->out, "%s ? &request[%s] : %s", count->value, first->value, no);
}

static void write_argument(const struct call *call, char letter) {
    const struct expression *all = call->expressions;
    switch (letter) {
    case 'd':
        write_special(call, REFRAIN_PROXY_DEST, "MPI_PROC_NULL", "MPI_PROC_NULL");
        break;
    case 's':
        write_special(call, REFRAIN_PROXY_SOURCE, "MPI_PROC_NULL", "MPI_ANY_SOURCE");
        break;
    case 'g':
        write_special(call, REFRAIN_PROXY_RECV_TAG, "MPI_ANY_TAG", "MPI_ANY_TAG");
        break;
    case 'm':
        write_special(call, REFRAIN_PROXY_LEADER, "MPI_UNDEFINED", "MPI_UNDEFINED");
        break;
    case 'j':
        write_special(call, REFRAIN_PROXY_MEMBERS, "MPI_UNDEFINED", "MPI_UNDEFINED");
        break;
    case 'c':
        write_comm(call, &all[REFRAIN_PROXY_COMM]);
        break;
    case 'p':
        write_comm(call, &all[REFRAIN_PROXY_PARENT]);
        break;
    case 'w':
        fprintf(call->out, "&comm[%s]", all[REFRAIN_PROXY_COMM].value);
        break;
    case 'y':
        fprintf(call->out, "(int)%s", all[REFRAIN_PROXY_DIMENSIONS].value);
        break;
    case 'x':
        write_made_request(call, &all[REFRAIN_PROXY_REQUEST]);
        break;
    case 'b':
        if (all[REFRAIN_PROXY_REQUEST].value)
            fprintf(call->out, "in(%s + 1)", all[REFRAIN_PROXY_REQUEST].value);
        else
            fputs("in(0)", call->out);
        break;
    case 'q':
        fputs(all[REFRAIN_PROXY_REQUEST].value, call->out);
        break;
    case 'h':
        fputs(all[REFRAIN_PROXY_FIRST].value, call->out);
        break;
    case 'l':
        fputs(all[REFRAIN_PROXY_COUNT].value, call->out);
        break;
    case 'f':
        write_requests(call, "none");
        break;
    case 'u':
        write_requests(call, "unused()");
        break;
    case 'n':
    case 'r': {
        const struct expression *bytes = &all[letter == 'n' ? REFRAIN_PROXY_SENT : REFRAIN_PROXY_RECEIVED];
        bool known = call->output->program->n_runs == 1 || bytes->constant;
        fprintf(call->out, known ? "%s" : "fitting(%s)", bytes->value);
        break;
    }
    default:
        fputs(all[refrain_proxy_argument_of(letter)].value, call->out);
    }
}

static void write_text(struct call *call) {
    const char *text = call->item->text;
    if (strstr(text, "; ")) /* several statements, which may declare variables */
        begin_block(call);
    int indent = call->declared ? call->indent + 4 : call->indent;
    fprintf(call->out, "%*s", indent, "");
    for (; *text; text++)
        if (text[0] == '{' && islower((unsigned char)text[1]) && text[2] == '}') {
            write_argument(call, text[1]);
            text += 2;
        } else if (text[0] == ';' && text[1] == ' ') {
            fprintf(call->out, ";\n%*s", indent, "");
            text++;
        } else
            putc(*text, call->out);
    putc(';', call->out);
}

bool refrain_proxy_write_call(struct refrain_proxy_output *output, size_t item, int indent) {
    FILE *out = output->functions;
    struct call call = {
        .output = output, .item = &output->program->items[item], .number = item, .indent = indent, .out = out};
    const struct refrain_region_info *region = call.item->region;
    for (unsigned i = 0; i < REFRAIN_PROXY_ARGUMENTS && !call.no_memory; i++)
        find_expression(&call, (enum refrain_proxy_argument)i);
    if (!call.no_memory) {
        if (call.item->scattered) /* they are copied to an array, and back after the call */
            fill(&call, "numbers", REFRAIN_PROXY_EACH, "", REFRAIN_PROXY_COUNT);
        fill(&call, "grid", REFRAIN_PROXY_SIZES, "2 * ", REFRAIN_PROXY_DIMENSIONS);
        write_text(&call);
        if (region->file[0])
            refrain_proxy_write_place(region, out);
        putc('\n', out);
        if (call.item->scattered)
            fprintf(out, "%*sput_back(%s);\n", indent + 4, "", call.expressions[REFRAIN_PROXY_COUNT].value);
        if (call.declared)
            fprintf(out, "%*s}\n", indent, "");
    }
    for (unsigned i = 0; i < REFRAIN_PROXY_ARGUMENTS; i++)
        free(call.expressions[i].value);
    return !call.no_memory;
}
