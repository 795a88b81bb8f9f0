! hooks.f90: Fortran for test_hooks.sh: procedures of a module, of the file, and inside of another one.
module grid
    use mpi
    implicit none
    real(8), allocatable :: cells(:)
contains
    subroutine exchange(n)
        integer, intent(in) :: n
        integer :: i, error
        do i = 1, n
            call MPI_Barrier(MPI_COMM_WORLD, error)
        end do
    end subroutine
    subroutine step(i)
        integer, intent(in) :: i
        call relax
        call exchange(mod(i, 3) + 1)
    contains
        subroutine relax
            integer :: k
            do k = 2, size(cells) - 1
                cells(k) = 0.5d0 * (cells(k - 1) + cells(k + 1))
            end do
        end subroutine
    end subroutine
end module

subroutine report(n)
    use mpi
    implicit none
    integer, intent(in) :: n
    integer :: error
    real(8) :: mine, total
    mine = n
    call MPI_Reduce(mine, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, error)
end subroutine

program hooks
    use mpi
    use grid
    implicit none
    integer :: i, error
    call MPI_Init(error)
    allocate (cells(1000))
    cells = 1.0d0
    do i = 1, 12
        call step(i)
    end do
    call report(12)
    call MPI_Finalize(error)
end program
