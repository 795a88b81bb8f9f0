/* hub.c: a function that is open all the time and calls itself, through another, more often than its probes may cost.
 * Ends when none of its places is on any more, or after so many calls that this does not come. */
#include "sites.h"
#include <refrain/refrain.h>
#include <stdio.h>

#define CALLS 100000
#define ROUNDS 5000

int hub(int depth, int n);

__attribute__((noinline)) int through(int depth, int n) {
    int sum = 0;
    for (int i = 0; i < n % 3; i++)
        sum += hub(depth + 1, i);
    return sum;
}

/* Its loop of unknown length makes it a function that is traced. */
__attribute__((noinline)) int hub(int depth, int n) {
    int sum = depth;
    if (depth == 0) {
        int round = 0;
        for (; round < ROUNDS && (round == 0 || sites_on_in("hub") > 0); round++)
            for (int i = 0; i < CALLS; i++)
                sum += hub(1, i);
        printf("hub: %s\n", round < ROUNDS ? "off" : "on");
        refrain_region_begin("late");
        sum += through(1, n);
        refrain_region_end();
    }
    for (int i = 0; i < n % 5; i++)
        sum += depth < 2 ? through(depth, i) : i;
    return sum;
}

int main(void) {
    refrain_region_begin("early");
    refrain_region_end();
    printf("%d\n", hub(0, 4) != 0);
    refrain_region_begin("behind");
    refrain_region_end();
    return 0;
}
