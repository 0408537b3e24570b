// Counts every allocation of this executable; apart from its users, so that the compiler cannot pair new with free.
#include <cstdlib>
#include <new>

extern long allocations;
long allocations = 0;

void* operator new(std::size_t size) {
  ++allocations;
  if (void* p = std::malloc(size)) return p;
  throw std::bad_alloc();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
