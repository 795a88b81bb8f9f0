/* pending.c: a thread that is to be cancelled goes on to its next cancellation point. Probes are none: what they do in
 * the system (code is changed, the region opened) must not end the thread, least of all with a lock in its hand. */
#include "shapes.h"
#include <pthread.h>
#include <stdio.h>

enum { TURNS = 30000 };

static void *work(void *unused) {
    unsigned long sum = 0;
    pthread_cancel(pthread_self());
    for (int turn = 0; turn < TURNS; turn++)
        sum += shapes_turn(turn % 12, NULL);
    printf("%lx\n", sum);
    pthread_testcancel();
    return unused;
}

int main(void) {
    for (int i = 0; i < 2; i++) {
        void *result = NULL;
        pthread_t thread;
        pthread_create(&thread, NULL, work, NULL);
        pthread_join(thread, &result);
        printf("%s\n", result == PTHREAD_CANCELED ? "cancelled" : "not cancelled");
    }
    return 0;
}
