/* A thread that the program creates while tracing is paused, and that never calls MPI. It locks a mutex 5 times in the
 * pause, 20 times after it, and 7 times in a second pause. Run it with `refrain record --paused`. */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <refrain/refrain.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;

static void lock(int times) {
    for (int i = 0; i < times; i++) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
}

static void *work(void *argument) {
    const int times[] = {5, 20, 7};
    for (int phase = 0; phase < 3; phase++) {
        pthread_barrier_wait(&barrier);
        lock(times[phase]);
        pthread_barrier_wait(&barrier);
    }
    return argument;
}

int main(int argc, char **argv) {
    pthread_t thread;
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    pthread_barrier_init(&barrier, NULL, 2);
    MPI_Barrier(MPI_COMM_WORLD);
    pthread_create(&thread, NULL, work, NULL);
    for (int phase = 0; phase < 3; phase++) {
        if (phase == 1)
            refrain_resume();
        else if (phase == 2)
            refrain_pause();
        pthread_barrier_wait(&barrier);
        pthread_barrier_wait(&barrier);
    }
    pthread_join(thread, NULL);
    refrain_resume();
    MPI_Finalize();
    return 0;
}
