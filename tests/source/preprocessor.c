/* Conditional compilation around and inside constructs, #line, splices, digraphs, odd spelling. */
#include <stdio.h>

#if 0
this is (not { C
#endif
int say(int value);
int say(int value)
{ printf("say %d\n", value);
    return value; }

static int branches(int n)
{
#ifdef NOT_DEFINED
    if (n > 1) {
#else
    if (n > 2) {
#endif
        say(1);
    }
    if (n
#ifdef NOT_DEFINED
        && say(2))
#else
        && say(3)
#endif
#ifndef NOT_DEFINED
        )
#endif
        say(4);
    say(
#if 1
        5
#else
        6
#endif
    );
    if (n)
#if 0
        say(100);
#endif
        say(7);
    els\
e_not: if (n) say(8); else goto e\
nd;
    s\
ay(9);
end:
    return say /* comment ) */ (n) /* ( */ && /* && */ say(10) // )
        && say(11);
}

static int digraphs(int n) <%
    int a<:2:> = <%1, 2%>;
    while (n-- > 0 && a<:n:> && say(n)) <% say(a<:n:>); %>
    return n;
%>

static int strings(int n) {
    const char *s = "if (n) say(1); /* \" */";
    char c = '"', d = '\'', e = '(';
    if (n && s[0] == 'i' && say(c == '"')) say(d == '\'' && e == '(');
    return c;
}

#line 500 "generated.y"
static int generated(int n) {
    if (n) printf("%s:%d %d\n", __FILE__, __LINE__, say(n));
    return n;
}
#line 80 "preprocessor.c"

int main(void) {
    int n;
    for (n = 0; n < 4; n++) printf("%d %d %d %d\n", branches(n), digraphs(n > 2 ? 2 : n), strings(n), generated(n));
    printf("%d\n", __LINE__);
    return 0;
}
