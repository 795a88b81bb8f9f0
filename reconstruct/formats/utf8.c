/* utf8.c: recognises and replaces bytes that are not UTF-8 (utf8.h; RFC 3629). */
#include "formats/utf8.h"

#include <string.h>

size_t refrain_utf8_length(const char *name) {
    const unsigned char *text = (const unsigned char *)name;
    size_t n = text[0] < 0x80 ? 1 : (text[0] & 0xe0) == 0xc0 ? 2 : (text[0] & 0xf0) == 0xe0 ? 3 : 4;
    if (n == 1)
        return 1;
    if (text[0] < 0xc2 || text[0] > 0xf4)
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    if ((text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xed && text[1] > 0x9f) ||
        (text[0] == 0xf0 && text[1] < 0x90) || (text[0] == 0xf4 && text[1] > 0x8f))
        return 0;
    return n;
}

size_t refrain_utf8_name(char *to, const char *name) {
    size_t n = 0;
    while (*name) {
        size_t length = refrain_utf8_length(name);
        memcpy(to + n, length ? name : "\xef\xbf\xbd", length ? length : 3);
        n += length ? length : 3;
        name += length ? length : 1;
    }
    return n;
}

size_t refrain_utf8_cut(const char *name, size_t most) {
    size_t n = 0;
    while (name[n]) {
        size_t length = refrain_utf8_length(name + n);
        length = length ? length : 1;
        if (n + length > most)
            break;
        n += length;
    }
    return n;
}
