/* early.h: what runs before main(). */
unsigned work(unsigned n);

/* Waits for the threads; 0 when they did what they had to do. */
int early_end(void);
