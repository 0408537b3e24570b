// What Python says of a system, as the tree that a scene is read from.
#pragma once

#include <pybind11/pybind11.h>

#include <algorithm>
#include <memory>
#include <string>

#include "numeric.hpp"
#include "ricochet/scene/document.hpp"

namespace ricochet::python {

/// Dicts, lists, numbers, texts and functions as scene::Value. Nobody wrote lines and columns of them: the place of a
/// value is the part of the system that it is, as "system.mass[1]" or "gap 'floor'".
class Tree {
 public:
  explicit Tree(const py::dict& tables) {
    placed_ = py::module_::import("ricochet._numeric").attr("Placed");
    root_ = table(tables, "the system", 0, [](const std::string& key) { return key; });
  }
  scene::Value take() { return std::move(root_); }

 private:
  static scene::Place place(const std::string& part) { return {std::make_shared<const std::string>(part)}; }

  template <class PartOf>
  scene::Value table(const py::dict& entries, const std::string& part, int depth, const PartOf& part_of) const {
    scene::Table list;
    for (const auto& [key, value] : entries) {
      const std::string name = text(key, part), at = part_of(name);
      list.push_back({name, place(at), of(value, at, depth + 1)});
    }
    std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.key < b.key; });
    return made(std::move(list), part);
  }
  /// [[gap]] and its like: places are called by the names of the tables.
  scene::Value tables(const py::list& list, const std::string& key, int depth) const {
    scene::Array array;
    for (const py::handle item : list) {
      const auto entries = py::reinterpret_borrow<py::dict>(item);
      const std::string part = key + (entries.contains("name") ? " '" + text(entries["name"], key) + "'"
                                                               : " " + std::to_string(array.size()));
      array.push_back(table(entries, part, depth + 1, [&](const std::string&) { return part; }));
    }
    return made(std::move(array), key);
  }
  scene::Value of(py::handle x, const std::string& part, int depth) const {
    if (depth > deepest) scene::fail(place(part), "lists and dicts are nested too deeply");
    if (py::isinstance(x, placed_)) return made(given_of(py::reinterpret_borrow<py::tuple>(x)), part);
    if (PyBool_Check(x.ptr())) return made(x.ptr() == Py_True, part);
    if (PyLong_Check(x.ptr())) return made(integer(x, part), part);
    if (PyFloat_Check(x.ptr())) return made(PyFloat_AS_DOUBLE(x.ptr()), part);
    if (PyUnicode_Check(x.ptr())) return made(text(x, part), part);
    if (PyDict_Check(x.ptr()))
      return table(py::reinterpret_borrow<py::dict>(x), part, depth,
                   [&](const std::string& key) { return part + "." + key; });
    if (!PyList_Check(x.ptr())) scene::fail(place(part), "this is nothing that a scene can hold");
    const auto list = py::reinterpret_borrow<py::list>(x);
    if (depth == 1 && list.size() > 0 && PyDict_Check(list[0].ptr())) return tables(list, part, depth);
    scene::Array array;
    for (const py::handle item : list)
      array.push_back(of(item, part + "[" + std::to_string(array.size()) + "]", depth + 1));
    return made(std::move(array), part);
  }
  static std::int64_t integer(py::handle x, const std::string& part) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(x.ptr(), &overflow);
    if (overflow != 0) scene::fail(place(part), "this number is out of range: an integer has 64 bits");
    return value;
  }
  static std::string text(py::handle x, const std::string& part) {
    Py_ssize_t size = 0;
    const char* bytes = PyUnicode_AsUTF8AndSize(x.ptr(), &size);
    if (bytes != nullptr) return {bytes, static_cast<std::size_t>(size)};
    PyErr_Clear();
    scene::fail(place(part), "this text has characters that are none of Unicode");
  }
  template <class Data>
  static scene::Value made(Data data, const std::string& part) {
    scene::Value value;
    value.place = value.text = place(part);
    value.data = std::move(data);
    return value;
  }

  static constexpr int deepest = 256;
  py::object placed_;
  scene::Value root_;
};

}  // namespace ricochet::python
