! kernels.f90: a Fortran program of four procedures with different shares of the time, for samples.py. Argument: rounds.
module kernels
    implicit none
contains
    subroutine multiply(a, b, c)
        real(8), intent(in) :: a(:, :), b(:, :)
        real(8), intent(out) :: c(:, :)
        integer :: i, j, k
        c = 0
        do j = 1, size(b, 2)
            do k = 1, size(a, 2)
                do i = 1, size(a, 1)
                    c(i, j) = c(i, j) + a(i, k) * b(k, j)
                end do
            end do
        end do
    end subroutine

    subroutine smooth(a, rounds)
        real(8), intent(inout) :: a(:, :)
        integer, intent(in) :: rounds
        integer :: round, i, j
        do round = 1, rounds
            do j = 2, size(a, 2) - 1
                do i = 2, size(a, 1) - 1
                    a(i, j) = 0.25d0 * (a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1))
                end do
            end do
        end do
    end subroutine

    recursive function fibonacci(n) result(value)
        integer, intent(in) :: n
        integer :: value
        if (n < 2) then
            value = n
        else
            value = fibonacci(n - 1) + fibonacci(n - 2)
        end if
    end function

    real(8) function waves(n)
        integer, intent(in) :: n
        integer :: i
        waves = 0
        do i = 1, n
            waves = waves + sin(real(i, 8)) * exp(-real(i, 8) / n)
        end do
    end function
end module

program main
    use mpi
    use kernels
    implicit none
    real(8) :: a(200, 200), b(200, 200), c(200, 200), total, all
    integer :: error, round, rounds
    character(32) :: argument
    call MPI_Init(error)
    rounds = 10
    if (command_argument_count() > 0) then
        call get_command_argument(1, argument)
        read (argument, *) rounds
    end if
    call random_number(a)
    call random_number(b)
    total = 0
    do round = 1, rounds
        call multiply(a, b, c)
        call smooth(c, 20)
        total = total + c(3, 3) + fibonacci(25) + waves(100000)
        call MPI_Allreduce(total, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
    end do
    print *, all
    call MPI_Finalize(error)
end program
