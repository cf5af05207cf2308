#include "runtime/served_device.hpp"

#include <exception>
#include <map>
#include <thread>
#include <utility>

#include "runtime/found_apart.hpp"
#include "runtime/message.hpp"
#include "runtime/worker.hpp"

namespace lift::served {
namespace {

/// Programs that are being built, all at once as far as the device does that.
struct Building {
  std::vector<std::string> sources;
  std::vector<GridBuild> results;
  std::exception_ptr failure;
  std::atomic<std::size_t> done = 0;
  std::atomic<bool> stop = false, ended = false;
  std::jthread thread;
};

struct Served {
  std::unique_ptr<GridDevice> device;
  Shared* shared = nullptr;
  Number last = 0;
  std::map<Number, GridMemory> buffers;
  std::map<Number, std::shared_ptr<GridProgram>> programs;
  std::map<std::pair<Number, std::string>, GridKernel> kernels;
  std::unique_ptr<Building> building;

  const GridMemory& buffer(Number n) const { return find(buffers, n, "buffer"); }
  const GridKernel& kernel(Number program, const std::string& name) {
    GridKernel& known = kernels[{program, name}];
    if (!known) known = find(programs, program, "program")->kernel(name);
    return known;
  }
  template <class T>
  static const T& find(const std::map<Number, T>& all, Number n, const char* what) {
    const auto at = all.find(n);
    if (at == all.end())
      throw InternalError(std::string("device: there is no ") + what + " " + std::to_string(n));
    return at->second;
  }
};

std::map<Number, Served>& all_served() {
  static auto* all = new std::map<Number, Served>;
  return *all;
}

/// The device whose number comes first.
Served& served(Reader& in) {
  const auto at = all_served().find(in.take<Number>());
  if (at == all_served().end() || !at->second.device) throw InternalError("device: it has not been opened");
  return at->second;
}

GridArg take_argument(Reader& in, const Served& s) {
  const auto kind = in.take<GridArg::Kind>();
  if (kind == GridArg::Kind::Memory) return s.buffer(in.take<Number>());
  const auto bytes = in.take<std::size_t>();
  if (kind == GridArg::Kind::Local) return GridArg::local(bytes);
  const auto value = in.take<std::array<unsigned char, 8>>();
  return GridArg::value_of(value.data(), bytes);
}

GridLaunch take_launch(Reader& in, Served& s) {
  GridLaunch launch;
  const auto program = in.take<Number>();
  launch.kernel = s.kernel(program, in.take_text());
  launch.global = in.take<std::array<std::size_t, 3>>(), launch.local = in.take<std::array<std::size_t, 3>>();
  launch.dims = in.take<int>(), launch.local_bytes = in.take<std::size_t>();
  for (auto count = in.take<std::size_t>(); count > 0; --count) launch.args.push_back(take_argument(in, s));
  return launch;
}

}  // namespace

std::string open(std::string_view input) {
  Reader in(input);
  const auto number = in.take<Number>();
  all_served().erase(number);
  const auto* make = in.take<const Open*>();
  auto* shared = in.take<Shared*>();
  std::unique_ptr<GridDevice> device = (*make)();
  end_child_at_exit();
  if (device->info().cpu) limit_child();  // on others, drivers take address space as they like
  device->on_queued([shared] { shared->queueing = false; });
  Served& s = all_served()[number];
  s.shared = shared, s.device = std::move(device);
  return bytes_of_info(s.device->info()) + bytes_of_text(s.device->timing_source()) +
         s.device->default_options();
}

std::string close(std::string_view input) {
  all_served().erase(Reader(input).take<Number>());
  return "";
}

std::string build(std::string_view input) {
  Reader in(input);
  Served& s = served(in);
  s.building = std::make_unique<Building>();
  Building& b = *s.building;
  const std::string options = in.take_text();
  b.sources.resize(in.take<std::size_t>());
  for (std::string& source : b.sources) source = in.take_text();
  b.thread = std::jthread([&b, &device = *s.device, options] {
    try {
      b.results = device.build_all(b.sources, options, [&b](std::size_t done) {
        b.done = done;
        return !b.stop;
      });
    } catch (...) {
      b.failure = std::current_exception();
    }
    b.ended = true;
  });
  return "";
}

std::string built(std::string_view input) {
  Reader in(input);
  Served& s = served(in);
  if (!s.building) throw InternalError("device: nothing is being built");
  if (in.take<bool>()) s.building->stop = true;
  const bool ended = s.building->ended;
  std::string answer = bytes_of_value(s.building->done.load()) + bytes_of_value(ended);
  if (!ended) return answer;
  const std::unique_ptr<Building> all = std::move(s.building);
  all->thread.join();
  if (all->failure) std::rethrow_exception(all->failure);
  for (const GridBuild& b : all->results) {
    const Number number = b.program ? ++s.last : 0;
    if (b.program) s.programs[number] = b.program;
    answer += bytes_of_value(number) + bytes_of_value(b.seconds) + bytes_of_value(b.cached) +
              bytes_of_value(b.stopped) + bytes_of_text(b.error);
  }
  return answer;
}

std::string drop(std::string_view input) {
  Reader in(input);
  Served& s = served(in);
  const auto number = in.take<Number>();
  std::erase_if(s.kernels, [number](const auto& kernel) { return kernel.first.first == number; });
  s.programs.erase(number);
  return "";
}

std::string kernel_info(std::string_view input) {
  Reader in(input);
  Served& s = served(in);
  const auto program = in.take<Number>();
  return bytes_of_value(s.kernel(program, in.take_text())->info());
}

std::string allocate(std::string_view input) {
  Reader in(input);
  Served& s = served(in);
  GridMemory memory = s.device->allocate(in.take<std::size_t>());
  s.buffers[++s.last] = std::move(memory);
  return bytes_of_value(s.last);
}

std::string share(std::string_view input) {
  Reader in(input);
  Served& s = served(in);
  const auto* at = in.take<const void*>();
  GridMemory memory = s.device->share({std::shared_ptr<void>(), at}, in.take<std::size_t>());
  if (!memory) return bytes_of_value(Number{0});
  s.buffers[++s.last] = std::move(memory);
  return bytes_of_value(s.last);
}

std::string release(std::string_view input) {
  Reader in(input);
  Served& s = served(in);
  s.buffers.erase(in.take<Number>());
  return "";
}

std::string write(std::string_view input) {
  Reader in(input);
  Served& s = served(in);
  const GridMemory to = s.buffer(in.take<Number>());
  const auto offset = in.take<std::size_t>();
  s.device->write(to, s.shared->chunk, in.take<std::size_t>(), offset);
  return "";
}

std::string read(std::string_view input) {
  Reader in(input);
  Served& s = served(in);
  const GridMemory from = s.buffer(in.take<Number>());
  const auto offset = in.take<std::size_t>();
  s.device->read(from, s.shared->chunk, in.take<std::size_t>(), offset);
  return "";
}

std::string write_there(std::string_view input) {
  Reader in(input);
  Served& s = served(in);
  const GridMemory to = s.buffer(in.take<Number>());
  s.device->write_there(to, in.take<const void*>());
  return "";
}

std::string read_there(std::string_view input) {
  Reader in(input);
  Served& s = served(in);
  const GridMemory from = s.buffer(in.take<Number>());
  s.device->read_there(from, in.take<void*>());
  return "";
}

std::string contents(std::string_view input) {
  Reader in(input);
  Served& s = served(in);
  return bytes_of_value(s.device->contents(s.buffer(in.take<Number>())));
}

std::string copy(std::string_view input) {
  Reader in(input);
  Served& s = served(in);
  const GridMemory to = s.buffer(in.take<Number>());
  s.device->copy(to, s.buffer(in.take<Number>()));
  return "";
}

std::string fill(std::string_view input) {
  Reader in(input);
  Served& s = served(in);
  const GridMemory to = s.buffer(in.take<Number>());
  const std::string pattern = in.rest();
  s.device->fill(to, pattern.data(), pattern.size());
  return "";
}

std::string run(std::string_view input) {
  Reader in(input);
  Served& s = served(in);
  const auto how = in.take<Run>();
  const int times = in.take<int>();
  std::vector<GridLaunch> launches;
  for (auto count = in.take<std::size_t>(); count > 0; --count) launches.push_back(take_launch(in, s));
  struct Queueing {
    std::atomic<bool>& flag;
    explicit Queueing(std::atomic<bool>& f) : flag(f) { flag = true; }
    ~Queueing() { flag = false; }
  } const queueing(s.shared->queueing);
  return bytes_of_value(how == Run::plainly    ? s.device->run(launches, times)
                        : how == Run::compared ? s.device->time(launches, times)
                                               : s.device->time_from_memory(launches, times));
}

}  // namespace lift::served
