/* help_completion.c: completion files for bash and zsh from the table of commands (help_pages.h). */
#define _GNU_SOURCE
#include "commands/help_pages.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* True if the option's argument is written a|b|c: it takes one of these words. */
static bool has_choices(const struct argp_option *option) {
    return option->arg && strchr(option->arg, '|') != NULL;
}

static void print_choices(FILE *file, const char *choices) {
    for (const char *p = choices; *p; p++)
        fputc(*p == '|' ? ' ' : *p, file);
}

/* ---- bash ---- */

static void print_bash_word(void *data, const struct argp_option *option) {
    FILE *file = data;
    fprintf(file, " --%s%s", option->name, option->arg ? "=" : "");
    if (isgraph(option->key))
        fprintf(file, " -%c", option->key);
}

static void print_bash_choices(void *data, const struct argp_option *option) {
    FILE *file = data;
    if (!has_choices(option))
        return;
    fprintf(file, "        --%s=*) choices='", option->name);
    print_choices(file, option->arg);
    fputs("' ;;\n", file);
}

void refrain_help_bash(FILE *file) {
    fputs("# Completion of refrain for bash, written by refrain help --completion=bash.\n"
          "_refrain() {\n"
          "    local word=$2 command= choices= option i\n"
          "    COMPREPLY=()\n"
          "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
          "        case ${COMP_WORDS[i]} in\n"
          "        -* | = | auto | always | never) ;;\n"
          "        *) command=${COMP_WORDS[i]}; break ;;\n"
          "        esac\n"
          "    done\n"
          "    # bash splits --option=value at the equals sign.\n"
          "    option=$word\n"
          "    if [[ $word == = ]]; then\n"
          "        option=${COMP_WORDS[COMP_CWORD - 1]}= word=\n"
          "    elif [[ ${COMP_WORDS[COMP_CWORD - 1]} == = ]]; then\n"
          "        option=${COMP_WORDS[COMP_CWORD - 2]}=$word\n"
          "    fi\n"
          "    case $command in\n"
          "    '')\n"
          "        case $option in\n"
          "        --color=*) choices='auto always never' ;;\n"
          "        *) choices='--help --version --quiet --no-pager --color=",
          file);
    for (size_t i = 0; refrain_commands[i]; i++)
        fprintf(file, " %s", refrain_commands[i]->name);
    fputs("' ;;\n        esac ;;\n", file);
    for (size_t i = 0; refrain_commands[i]; i++) {
        const struct refrain_command *command = refrain_commands[i];
        fprintf(file, "    %s)\n        case $option in\n", command->name);
        refrain_help_options(command, print_bash_choices, file);
        fputs("        -*) choices='", file);
        refrain_help_options(command, print_bash_word, file);
        fputs("' ;;\n", file);
        if (strcmp(command->name, "help") == 0) {
            fputs("        *) choices='", file);
            for (size_t c = 0; refrain_commands[c]; c++)
                fprintf(file, " %s", refrain_commands[c]->name);
            fputs("' ;;\n", file);
        }
        fputs("        esac ;;\n", file);
    }
    fputs("    esac\n"
          "    if [[ $choices ]]; then\n"
          "        COMPREPLY=($(compgen -W \"$choices\" -- \"$word\"))\n"
          "        [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace\n"
          "    else\n"
          "        compopt -o filenames\n"
          "        COMPREPLY=($(compgen -f -- \"$word\"))\n"
          "    fi\n"
          "}\n"
          "complete -F _refrain refrain\n",
          file);
}

/* ---- zsh ---- */

/* Prints text inside single quotes and square brackets of an _arguments specification. */
static void print_zsh_text(FILE *file, const char *text) {
    for (const char *p = text; *p; p++)
        if (*p == '\'')
            fputs("'\\''", file);
        else if (strchr("[]:\\", *p))
            fprintf(file, "\\%c", *p);
        else
            fputc(*p, file);
}

static void print_zsh_option(void *data, const struct argp_option *option) {
    FILE *file = data;
    fprintf(file, "            '--%s%s[", option->name, option->arg ? "=" : "");
    print_zsh_text(file, option->doc ? option->doc : "");
    fputc(']', file);
    if (option->arg) {
        fputc(':', file);
        print_zsh_text(file, has_choices(option) ? option->name : option->arg);
        if (has_choices(option)) {
            fputs(":(", file);
            print_choices(file, option->arg);
            fputc(')', file);
        } else {
            fputs(":_files", file);
        }
    }
    fputs("' \\\n", file);
}

void refrain_help_zsh(FILE *file) {
    fputs("#compdef refrain\n"
          "# Completion of refrain for zsh, written by refrain help --completion=zsh.\n"
          "_refrain() {\n"
          "    local -a commands\n"
          "    commands=(\n",
          file);
    for (size_t i = 0; refrain_commands[i]; i++) {
        fprintf(file, "        '%s:", refrain_commands[i]->name);
        print_zsh_text(file, refrain_commands[i]->summary);
        fputs("'\n", file);
    }
    fputs("    )\n"
          "    if ((CURRENT == 2)); then\n"
          "        _describe -t commands 'refrain command' commands\n"
          "        return\n"
          "    fi\n"
          "    shift words\n"
          "    ((CURRENT--))\n"
          "    case $words[1] in\n",
          file);
    for (size_t i = 0; refrain_commands[i]; i++) {
        fprintf(file, "    %s)\n        _arguments -S \\\n", refrain_commands[i]->name);
        refrain_help_options(refrain_commands[i], print_zsh_option, file);
        if (strcmp(refrain_commands[i]->name, "help") == 0)
            fputs("            \"1:command:(($commands[*]))\" ;;\n", file);
        else
            fputs("            '*:file:_files' ;;\n", file);
    }
    fputs("    esac\n}\n_refrain \"$@\"\n", file);
}
