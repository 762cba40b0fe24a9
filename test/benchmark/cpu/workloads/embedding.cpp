// embedding.cpp - 65 536 rows of a table of 20 000 words by 64 columns, asked for by Zipf's law.
#include "case.h"

namespace {

struct Embedding : Case {
  static constexpr int words = 20000, columns = 64, n = 1 << 16;
  Numbers table = random_numbers(words * columns, 1), gtable = table, g = random_numbers(n * columns, 2), y = g;
  std::vector<int> ids;
  Embedding() {
    std::vector<double> frequency(words);
    for (int word = 0; word < words; ++word)
      frequency[word] = 1.0 / (word + 1);
    std::mt19937 generator(3);
    std::discrete_distribution<int> choice(frequency.begin(), frequency.end());
    for (int i = 0; i < n; ++i)
      ids.push_back(choice(generator));
  }
  std::vector<Numbers *> results() override { return {&y}; }
  std::vector<Numbers *> gradients() override { return {&gtable}; }
  void forward(By by) override { CALL(by, embedding, n, table.data(), ids.data(), y.data()); }
  void backward(By by) override { CALL(by, embedding_backward, n, table.data(), gtable.data(), ids.data(), g.data()); }
};

} // namespace

std::unique_ptr<Case> make_embedding() { return std::make_unique<Embedding>(); }
