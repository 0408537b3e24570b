// A few threads that wait for work: one task, given to all of them at once.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace ricochet::bodies {

/// run(task) calls task(0) … task(count−1) at the same time and returns when all are done. The calling thread is one of
/// them; with a count of one there are no threads at all.
class Workers {
 public:
  explicit Workers(int count = 1) : count_(count < 1 ? 1 : count) {
    for (int i = 1; i < count_; ++i) threads_.emplace_back([this, i] { serve(i); });
  }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    wake_.notify_all();
    for (auto& thread : threads_) thread.join();
  }

  int count() const { return count_; }

  void run(const std::function<void(int)>& task) {
    if (count_ == 1) return task(0);
    {
      const std::lock_guard lock(mutex_);
      task_ = &task;
      pending_ = count_ - 1;
      failure_ = nullptr;
      ++round_;
    }
    wake_.notify_all();
    attempt(task, 0);
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return pending_ == 0; });
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void serve(int i) {
    long long seen = 0;
    for (;;) {
      const std::function<void(int)>* task = nullptr;
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [&] { return stop_ || round_ != seen; });
        if (stop_) return;
        seen = round_;
        task = task_;
      }
      attempt(*task, i);
      const std::lock_guard lock(mutex_);
      if (--pending_ == 0) done_.notify_one();
    }
  }
  void attempt(const std::function<void(int)>& task, int i) {
    try {
      task(i);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
    }
  }

  int count_;
  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  const std::function<void(int)>* task_ = nullptr;
  std::exception_ptr failure_;
  int pending_ = 0;
  long long round_ = 0;
  bool stop_ = false;
};

}  // namespace ricochet::bodies
