// Which layouts are tried on a machine.
#include <gtest/gtest.h>

#include "reference/small_catalog.h"
#include "search/fit.h"

namespace rigsizer {
namespace {

ModelSizes with_heads(int heads) {
  ModelSizes sizes = test::plain_sizes(1e9);
  sizes.heads = heads;
  return sizes;
}

std::vector<int> tensor_sizes(int heads, int accelerators) {
  std::vector<int> found;
  for (const Layout& layout : layouts_for(with_heads(heads), {}, accelerators)) {
    EXPECT_EQ(layout.tensor_parallel * layout.data_parallel, accelerators);
    EXPECT_EQ(layout.accelerators, accelerators);
    found.push_back(layout.tensor_parallel);
  }
  return found;
}

std::vector<Layout::Shards> shards(Sharding wanted, int accelerators) {
  Job job{.task = Task::full};
  job.training.sharding = wanted;
  std::vector<Layout::Shards> found;
  for (const Layout& layout : layouts_for(with_heads(8), job, accelerators)) found.push_back(layout.shards);
  return found;
}

TEST(SearchLayouts, ServingTriesFewestRanksFirst) { EXPECT_EQ(tensor_sizes(32, 8), (std::vector<int>{1, 2, 4, 8})); }
TEST(SearchLayouts, RanksMustDivideTheHeads) {
  EXPECT_EQ(tensor_sizes(28, 8), (std::vector<int>{1, 2, 4}));
  EXPECT_EQ(tensor_sizes(25, 8), (std::vector<int>{1}));
}
TEST(SearchLayouts, RanksMustDivideTheMachine) { EXPECT_EQ(tensor_sizes(60, 6), (std::vector<int>{1, 2, 3, 6})); }
TEST(SearchLayouts, ModelsWithoutHeadsAreNotSplit) { EXPECT_EQ(tensor_sizes(0, 8), (std::vector<int>{1})); }
TEST(SearchLayouts, OneAcceleratorHasOneLayout) { EXPECT_EQ(tensor_sizes(32, 1), (std::vector<int>{1})); }

TEST(SearchLayouts, TrainingOnOneCardNeedsNoSharding) {
  EXPECT_EQ(shards(Sharding::automatic, 1), (std::vector<Layout::Shards>{Layout::Shards::none}));
}
TEST(SearchLayouts, TrainingTriesWholeCopiesBeforeShards) {
  EXPECT_EQ(shards(Sharding::automatic, 8), (std::vector<Layout::Shards>{Layout::Shards::ddp, Layout::Shards::full}));
}
TEST(SearchLayouts, TheWishForOneWayIsKept) {
  EXPECT_EQ(shards(Sharding::ddp, 8), (std::vector<Layout::Shards>{Layout::Shards::ddp}));
  EXPECT_EQ(shards(Sharding::full, 8), (std::vector<Layout::Shards>{Layout::Shards::full}));
}

}  // namespace
}  // namespace rigsizer
