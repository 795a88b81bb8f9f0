// kernels.cc: a C++ program of four functions with different shares of the time, for samples.py: a sort, a tree, a template,
// virtual calls. Argument: rounds.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mpi.h>
#include <vector>

namespace {
unsigned state = 12345;
unsigned draw() { return state = state * 1664525u + 1013904223u; }
} // namespace

__attribute__((noinline)) double sort_numbers(std::vector<double> numbers) {
    std::sort(numbers.begin(), numbers.end());
    return numbers[numbers.size() / 2];
}

__attribute__((noinline)) double fill_tree(size_t n) {
    std::map<unsigned, double> tree;
    for (size_t i = 0; i < n; i++)
        tree[draw()] += 1;
    return tree.begin()->second;
}

template <typename Number> __attribute__((noinline)) Number polynomial(const std::vector<Number> &at) {
    Number sum = 0;
    for (int k = 0; k < 20; k++)
        for (const Number &x : at)
            sum += ((x * Number(0.5) + 1) * x - 2) * x + Number(k);
    return sum;
}

struct Shape {
    virtual ~Shape() = default;
    virtual double area() const = 0;
};
struct Square : Shape {
    double side = 2;
    __attribute__((noinline)) double area() const override { return side * side; }
};
struct Circle : Shape {
    double radius = 1;
    __attribute__((noinline)) double area() const override { return radius * radius * 3.14159; }
};

__attribute__((noinline)) double add_areas(const std::vector<std::unique_ptr<Shape>> &shapes) {
    double sum = 0;
    for (int k = 0; k < 10; k++)
        for (const auto &shape : shapes)
            sum += shape->area();
    return sum;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    std::vector<double> numbers(100000);
    std::vector<std::unique_ptr<Shape>> shapes;
    double sum = 0, all;
    for (double &number : numbers)
        number = draw();
    for (int i = 0; i < 100000; i++)
        shapes.emplace_back(i % 2 ? static_cast<Shape *>(new Square) : new Circle);
    for (int round = argc > 1 ? atoi(argv[1]) : 10; round > 0; round--) {
        sum += sort_numbers(numbers) + fill_tree(20000) + polynomial(numbers) + add_areas(shapes);
        MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    std::printf("%g\n", all);
    return MPI_Finalize();
}
