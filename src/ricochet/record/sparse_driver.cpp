#include "ricochet/record/sparse_driver.hpp"

#include <algorithm>
#include <cstring>
#include <new>

namespace ricochet::record {
namespace {

struct Target {
  SparseFile* file;
};

// What the HDF5 library holds of an open file; the public part must come first.
struct OpenFile {
  H5FD_t base;
  SparseFile* file;
};

OpenFile* of(H5FD_t* file) { return reinterpret_cast<OpenFile*>(file); }
const OpenFile* of(const H5FD_t* file) { return reinterpret_cast<const OpenFile*>(file); }

H5FD_t* open_file(const char*, unsigned, hid_t access, haddr_t) {
  const auto* target = static_cast<const Target*>(H5Pget_driver_info(access));
  if (target == nullptr) return nullptr;
  auto* opened = new (std::nothrow) OpenFile{};
  if (opened != nullptr) opened->file = target->file;
  return reinterpret_cast<H5FD_t*>(opened);
}

herr_t close_file(H5FD_t* file) {
  delete of(file);
  return 0;
}

int compare(const H5FD_t* a, const H5FD_t* b) {
  return of(a)->file < of(b)->file ? -1 : static_cast<int>(of(a)->file > of(b)->file);
}

// No aggregation: every request for space comes to allocate() below.
herr_t query(const H5FD_t*, unsigned long* flags) {
  if (flags != nullptr) *flags = H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

haddr_t allocate(H5FD_t* file, H5FD_mem_t type, hid_t, hsize_t bytes) {
  return of(file)->file->allocate(bytes, type == H5FD_MEM_DRAW);
}

// Space HDF5 gives back stays unused: addresses depend on nothing but the sequence of requests.
herr_t release(H5FD_t*, H5FD_mem_t, hid_t, haddr_t, hsize_t) { return 0; }

// Until the superblock has its place the file counts as empty, or HDF5 would look for one.
haddr_t get_end(const H5FD_t* file, H5FD_mem_t) { return of(file)->file->head == 0 ? 0 : of(file)->file->tail; }

// HDF5 extends a block in place when it is the last one.
herr_t set_end(H5FD_t* file, H5FD_mem_t, haddr_t end) {
  of(file)->file->tail = std::max<std::size_t>(of(file)->file->tail, end);
  return 0;
}

// Exceptions must not pass through C.
herr_t read_file(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, size_t bytes, void* to) {
  of(file)->file->read(address, static_cast<char*>(to), bytes);
  return 0;
}

herr_t write_file(H5FD_t* file, H5FD_mem_t type, hid_t, haddr_t address, size_t bytes, const void* from) {
  if (type == H5FD_MEM_DRAW && of(file)->file->place != SparseFile::nowhere) return 0;
  try {
    of(file)->file->write(address, static_cast<const char*>(from), bytes);
    return 0;
  } catch (const std::bad_alloc&) {
    return -1;
  }
}

const H5FD_class_t& driver_class() {
  static const H5FD_class_t driver = [] {
    H5FD_class_t made{};
#ifdef H5FD_CLASS_VERSION  // HDF5 1.14 and later
    made.version = H5FD_CLASS_VERSION;
    made.value = 500;
#endif
    made.name = "ricochet sparse";
    made.maxaddr = static_cast<haddr_t>(-1) >> 2;
    made.fc_degree = H5F_CLOSE_STRONG;
    made.fapl_size = sizeof(Target);
    made.open = open_file;
    made.close = close_file;
    made.cmp = compare;
    made.query = query;
    made.alloc = allocate;
    made.free = release;
    made.get_eoa = get_end;
    made.set_eoa = set_end;
    made.get_eof = get_end;
    made.read = read_file;
    made.write = write_file;
    const H5FD_mem_t map[H5FD_MEM_NTYPES] = H5FD_FLMAP_DICHOTOMY;
    std::copy(std::begin(map), std::end(map), made.fl_map);
    return made;
  }();
  return driver;
}

}  // namespace

std::size_t SparseFile::allocate(std::size_t bytes, bool rows) {
  if (rows && place != nowhere) return place;
  std::size_t& cursor = head + bytes + 8 <= head_size ? head : tail;
  const std::size_t address = (cursor + 7) / 8 * 8;
  cursor = address + bytes;
  return address;
}

void SparseFile::write(std::size_t offset, const char* from, std::size_t bytes) {
  while (bytes > 0) {
    const std::size_t within = offset % page_size;
    const std::size_t part = std::min(bytes, page_size - within);
    const auto [page, fresh] = pages.try_emplace(offset / page_size);
    if (fresh) page->second.fill('\0');
    std::memcpy(page->second.data() + within, from, part);
    offset += part;
    from += part;
    bytes -= part;
  }
}

void SparseFile::read(std::size_t offset, char* to, std::size_t bytes) const {
  while (bytes > 0) {
    const std::size_t within = offset % page_size;
    const std::size_t part = std::min(bytes, page_size - within);
    const auto page = pages.find(offset / page_size);
    if (page == pages.end())
      std::memset(to, 0, part);
    else
      std::memcpy(to, page->second.data() + within, part);
    offset += part;
    to += part;
    bytes -= part;
  }
}

h5::Handle sparse_access(SparseFile& file) {
  static const hid_t driver = h5::check(H5FDregister(&driver_class()), "register the sparse file driver");
  h5::Handle access = h5::property_list(H5P_FILE_ACCESS);
  const Target target{&file};
  h5::check(H5Pset_driver(access, driver, &target), "select the sparse file driver");
  return access;
}

}  // namespace ricochet::record
