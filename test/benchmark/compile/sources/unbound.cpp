// test/benchmark/compile/sources/unbound.cpp - host C++ that knows nothing of kernix and takes two seconds or more.

#include <algorithm>
#include <array>
#include <chrono>
#include <compare>
#include <filesystem>
#include <functional>
#include <future>
#include <iostream>
#include <map>
#include <numeric>
#include <random>
#include <ranges>
#include <regex>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

namespace {

template <int N> struct Row {
  std::array<double, N> values;
  friend auto operator<=>(const Row &, const Row &) = default;
};

template <int N> double exercise(std::vector<Row<N>> &rows, std::map<std::string, Row<N>> &named) {
  std::ranges::sort(rows);
  std::sort(rows.begin(), rows.end(), std::greater<>());
  double sum = 0;
  for (const Row<N> &row :
       rows | std::views::filter([](const Row<N> &r) { return r.values[0] > N; }) | std::views::take(N))
    sum += std::accumulate(row.values.begin(), row.values.end(), 0.0);
  std::unordered_map<int, std::variant<int, double, std::string>> variants;
  for (auto &[name, row] : named)
    variants[static_cast<int>(name.size())] = name + std::to_string(row.values[N - 1]);
  for (auto &[key, value] : variants)
    sum += std::visit(
        [key = key](const auto &v) {
          if constexpr (requires { v.size(); })
            return static_cast<double>(v.size() + N);
          else
            return static_cast<double>(v + key);
        },
        value);
  return sum;
}

template <int... N> double all(std::integer_sequence<int, N...>) {
  return ([] {
    std::vector<Row<N + 1>> rows(100);
    std::map<std::string, Row<N + 1>> named;
    return exercise<N + 1>(rows, named);
  }() + ...);
}

} // namespace

int main(int argc, char **argv) {
  std::mt19937 generator(std::random_device{}());
  const std::regex pattern(R"((\w+)\s*=\s*(\d+))");
  std::smatch match;
  for (const std::string &text : std::vector<std::string>(argv, argv + argc))
    if (std::regex_search(text, match, pattern))
      std::cout << match[1] << std::filesystem::path(text).filename() << '\n';
  auto later = std::async(std::launch::async, [] { return all(std::make_integer_sequence<int, 2>()); });
  std::cout << std::chrono::system_clock::now().time_since_epoch().count() << generator() << later.get() << '\n';
}
