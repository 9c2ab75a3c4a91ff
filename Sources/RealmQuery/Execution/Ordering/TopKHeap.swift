// SPDX-License-Identifier: Apache-2.0

// The first k of many items, picked without sorting the others.

/// The first of many items, kept in a heap whose top is the last of them.
struct TopKHeap {
  private var heap: [SortItem] = []
  private let limit: Int

  init(limit: Int) {
    assert(limit > 0, "a heap of nothing has no last item")
    self.limit = limit
    heap.reserveCapacity(limit)
  }

  /// Takes an item if it is among the first so far; `isBefore` decides where rank and prefix do
  /// not.
  @inline(__always)
  mutating func offer(_ item: SortItem, _ isBefore: (SortItem, SortItem) -> Bool) {
    if !isTooLate(item) { take(item, isBefore) }
  }

  /// The last of the first, once there are as many as are wanted.
  var last: SortItem? { heap.count == limit ? heap[0] : nil }

  /// Whether rank and prefix show that an item is not among the first.
  @inline(__always)
  func isTooLate(_ item: SortItem) -> Bool { heap.count == limit && heap[0].precedes(item) }

  @inline(never)
  private mutating func take(_ item: SortItem, _ isBefore: (SortItem, SortItem) -> Bool) {
    if heap.count < limit {
      heap.append(item)
      var child = heap.count - 1
      while child > 0, isBefore(heap[(child - 1) / 2], heap[child]) {
        heap.swapAt(child, (child - 1) / 2)
        child = (child - 1) / 2
      }
      return
    }
    guard isBefore(item, heap[0]) else { return }
    heap[0] = item
    var parent = 0
    while true {
      var last = parent
      for child in 2 * parent + 1...2 * parent + 2
      where child < limit && isBefore(heap[last], heap[child]) { last = child }
      if last == parent { return }
      heap.swapAt(last, parent)
      parent = last
    }
  }

  func sorted(_ isBefore: (SortItem, SortItem) -> Bool) -> [SortItem] {
    assert(heap.count <= limit, "more items are kept than are wanted")
    return heap.sorted(by: isBefore)
  }
}
