// Counts every allocation made by code of this executable, Eigen's among them: the linker sends malloc here
// (--wrap=malloc), and operator new comes by it.
#include <cstdlib>
#include <new>

long allocations();
static long count = 0;
long allocations() { return count; }

extern "C" {
void* __real_malloc(std::size_t size);
void* __wrap_malloc(std::size_t size);
void* __wrap_malloc(std::size_t size) {
  ++count;
  return __real_malloc(size);
}
}

void* operator new(std::size_t size) {
  if (void* p = std::malloc(size)) return p;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return std::malloc(size); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
