/* sparse.h: the random sparse matrix of the kernel CG (RNR-94-007, section 2.2.3), one block of it per rank. */
#ifndef SPARSE_H
#define SPARSE_H

struct sparse {
    int rows, columns; /* of the block */
    int *row_start, *column;
    double *value;
};

struct sparse_class {
    long size;
    int nonzeros;
    double shift, zeta; /* zeta 0: not published */
    long iterations;    /* that zeta is for */
};

/* The published class of this size, or one made up after class S. */
struct sparse_class sparse_class_of(long size);

/* Makes rows [row_begin, row_end) and columns [column_begin, column_end) of the matrix. */
void sparse_open(struct sparse *s, const struct sparse_class *c, long row_begin, long row_end, long column_begin,
                 long column_end);
void sparse_close(struct sparse *s);

/* y = block x */
void sparse_multiply(const struct sparse *s, const double *x, double *y);

#endif
