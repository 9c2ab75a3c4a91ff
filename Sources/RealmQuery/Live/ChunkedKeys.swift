// SPDX-License-Identifier: Apache-2.0

// The keys of a result, so that changing a few of a million costs a few.
//
// The keys stand in chunks; successive states of a result share unchanged chunks. A change copies
// its chunks and the table of chunks, a thousandth of the keys.
//
// Invariants:
// 1. No chunk is empty, and none has more than `largestChunk` keys.
// 2. `ends[i]` is the number of keys in the chunks up to and with chunk `i`.

import RealmStorage
package import RealmTables

/// A list of keys that is cheap to copy and to change at a few positions.
package struct ChunkedKeys: Sendable {
  /// The number of keys that new chunks get.
  static let usualChunk = 1024
  static let largestChunk = 2048
  /// A chunk below this size is joined with a neighbour where both fit into one.
  static let smallChunk = 256

  private(set) var chunks: [[ObjectKey]] = []
  private var ends: [Int] = []

  package init(_ keys: [ObjectKey] = []) {
    chunks.reserveCapacity(keys.count / ChunkedKeys.usualChunk + 1)
    append(evenly: keys[...])
    assert(count == keys.count && isWhole, "`ChunkedKeys` 1, 2")
  }

  package var count: Int { ends.last ?? 0 }

  /// The key at a position.
  ///
  /// - Complexity: O(log n).
  package subscript(position: Int) -> ObjectKey {
    let chunk = chunk(with: position)
    return chunks[chunk][position - start(of: chunk)]
  }

  /// All keys in one array.
  package func array() -> [ObjectKey] {
    if chunks.count == 1 { return chunks[0] }
    var keys: [ObjectKey] = []
    keys.reserveCapacity(count)
    for chunk in chunks { keys += chunk }
    return keys
  }

  /// The keys at the beginning, at most `limit`.
  func first(_ limit: Int) -> [ObjectKey] {
    guard limit < count else { return array() }
    var keys: [ObjectKey] = []
    for chunk in chunks {
      keys += chunk.prefix(limit - keys.count)
      if keys.count == limit { break }
    }
    assert(keys.count == limit, "`ChunkedKeys` 2: the chunks have fewer keys than they say")
    return keys
  }

  /// The chunk of an existing position, and its first position.
  package func chunk(at position: Int) -> (keys: [ObjectKey], start: Int) {
    let chunk = chunk(with: position)
    return (chunks[chunk], start(of: chunk))
  }

  /// The number of keys at the beginning for which `isBefore` is true; after them it is false.
  ///
  /// - Complexity: asks O(log n) times.
  func partitionPoint(
    _ isBefore: (ObjectKey) throws(StorageError) -> Bool
  ) throws(StorageError) -> Int {
    // The last chunk that begins before the point has it within or at its end.
    let low = try (0..<chunks.count).partitionPoint { (middle) throws(StorageError) in
      try isBefore(chunks[middle][0])
    }
    guard low > 0 else { return 0 }
    let chunk = chunks[low - 1]
    let first = try (1..<chunk.count).partitionPoint { (middle) throws(StorageError) in
      try isBefore(chunk[middle])
    }
    return start(of: low - 1) + first
  }

  /// Whether a key is in a list that ascends.
  func containsAscending(_ key: ObjectKey) -> Bool {
    let low = (0..<chunks.count).partitionPoint { chunks[$0][0] <= key }
    guard low > 0 else { return false }
    let chunk = chunks[low - 1]
    let first = (0..<chunk.count).partitionPoint { chunk[$0] < key }
    return first < chunk.count && chunk[first] == key
  }

  // MARK: - Changing

  /// The list without the keys at `removed`, which ascend, and with further ones, which ascend by
  /// their gaps: a gap is the number of kept keys in front of the new one.
  ///
  /// - Complexity: O(n / 1024 + k) for k changes.
  func replacing(removed: [Int], with arrivals: [(gap: Int, key: ObjectKey)]) -> ChunkedKeys {
    if removed.isEmpty, arrivals.isEmpty { return self }
    var result = ChunkedKeys()
    result.chunks.reserveCapacity(chunks.count + 1)
    result.ends.reserveCapacity(chunks.count + 1)
    var nextRemoved = 0
    var nextArrival = 0
    // The number of kept keys so far.
    var kept = 0
    for (index, chunk) in chunks.enumerated() {
      let start = start(of: index)
      var goneEnd = nextRemoved
      while goneEnd < removed.count, removed[goneEnd] < ends[index] { goneEnd += 1 }
      let keptEnd = kept + chunk.count - (goneEnd - nextRemoved)
      var cameEnd = nextArrival
      while cameEnd < arrivals.count, arrivals[cameEnd].gap <= keptEnd { cameEnd += 1 }
      if goneEnd == nextRemoved, cameEnd == nextArrival {
        result.append(chunk)
      } else {
        let keys = ChunkedKeys.edited(
          chunk, start: start, kept: kept, removed[nextRemoved..<goneEnd],
          arrivals[nextArrival..<cameEnd])
        result.append(evenly: keys[...])
      }
      nextRemoved = goneEnd
      nextArrival = cameEnd
      kept = keptEnd
    }
    if nextArrival < arrivals.count {
      result.append(evenly: arrivals[nextArrival...].map(\.key)[...])
    }
    assert(result.count == count - removed.count + arrivals.count, "`ChunkedKeys` 2")
    assert(result.isWhole, "`ChunkedKeys` 1, 2")
    return result
  }

  /// Whether the chunks are as the invariants say, for assertions.
  private var isWhole: Bool {
    var end = 0
    for (chunk, chunkEnd) in zip(chunks, ends) {
      end += chunk.count
      guard (1...Self.largestChunk).contains(chunk.count), chunkEnd == end else { return false }
    }
    return chunks.count == ends.count
  }

  /// The keys of one chunk after its part of the changes.
  private static func edited(
    _ chunk: [ObjectKey], start: Int, kept: Int, _ removed: ArraySlice<Int>,
    _ arrivals: ArraySlice<(gap: Int, key: ObjectKey)>
  ) -> [ObjectKey] {
    var keys: [ObjectKey] = []
    keys.reserveCapacity(chunk.count - removed.count + arrivals.count)
    var arrivals = arrivals
    var kept = kept
    var next = 0
    func copy(upTo end: Int) {
      // Runs between what changed are copied whole.
      while let arrival = arrivals.first, arrival.gap <= kept + (end - next) {
        let middle = next + arrival.gap - kept
        keys += chunk[next..<middle]
        keys.append(arrival.key)
        kept = arrival.gap
        next = middle
        arrivals.removeFirst()
      }
      keys += chunk[next..<end]
      kept += end - next
      next = end
    }
    for index in removed {
      copy(upTo: index - start)
      next += 1
    }
    copy(upTo: chunk.count)
    assert(arrivals.isEmpty, "an arrival belongs to a later chunk")
    return keys
  }

  /// Adds keys in chunks of about the usual size.
  private mutating func append(evenly keys: ArraySlice<ObjectKey>) {
    guard keys.count > ChunkedKeys.largestChunk else { return append(Array(keys)) }
    let parts = (keys.count + ChunkedKeys.usualChunk - 1) / ChunkedKeys.usualChunk
    for part in 0..<parts {
      let start = keys.startIndex + keys.count * part / parts
      let end = keys.startIndex + keys.count * (part + 1) / parts
      append(Array(keys[start..<end]))
    }
  }

  /// Adds a chunk, or joins it with the last one.
  private mutating func append(_ chunk: [ObjectKey]) {
    guard !chunk.isEmpty else { return }
    assert(chunk.count <= ChunkedKeys.largestChunk, "`ChunkedKeys` 1")
    if let last = chunks.last,
      Swift.min(last.count, chunk.count) < ChunkedKeys.smallChunk,
      last.count + chunk.count <= ChunkedKeys.largestChunk
    {
      chunks[chunks.count - 1] = last + chunk
      ends[ends.count - 1] += chunk.count
      return
    }
    ends.append(count + chunk.count)
    chunks.append(chunk)
  }

  // MARK: - Places

  private func start(of chunk: Int) -> Int { chunk == 0 ? 0 : ends[chunk - 1] }

  private func chunk(with position: Int) -> Int {
    precondition(position >= 0 && position < count, "no such position")
    let low = (0..<ends.count).partitionPoint { ends[$0] <= position }
    assert(start(of: low) <= position && position < ends[low], "`ChunkedKeys` 2")
    return low
  }
}

extension ChunkedKeys: Equatable {
  /// Whether both have the same keys in the same order, however they are cut.
  package static func == (left: ChunkedKeys, right: ChunkedKeys) -> Bool {
    left.count == right.count && left.array() == right.array()
  }
}
