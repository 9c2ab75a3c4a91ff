// SPDX-License-Identifier: Apache-2.0

// One node of a search index: ascending chunks, and what belongs to each.

import RealmStorage

/// A checked view of an index node.
///
/// ```
/// slot 0      ref of the keys array: 32-bit integers, ascending
/// slot 1 + i  what belongs to keys[i]: a child (inner node), an object, a list or a sub-index
/// ```
/// - SeeAlso: file format 4.14.2.
struct SearchIndexNode {
  let node: Node
  let keys: Node

  /// - Throws: `StorageError.corrupted` if flags, key width or sizes are not those of an index.
  init(_ ref: Ref, in space: NodeSpace) throws(StorageError) {
    node = try space.node(at: ref)
    guard node.header.hasRefs, node.header.hasContext, node.header.isBits else {
      throw .corrupted("the node at \(ref.offset) is not a search index node")
    }
    node.prefetchRest()
    keys = try space.node(at: try node.ref(at: 0))
    guard keys.header.isOf(.bits, widthCode: 6), keys.count + 1 == node.count
    else { throw .corrupted("the keys of the search index node at \(ref.offset) are malformed") }
  }

  var isInner: Bool { node.header.isInner }

  /// The number of entries.
  ///
  /// `init` has checked that the keys array says the same; this header arrives from memory first.
  var count: Int { node.count &- 1 }

  func key(at index: Int) -> Int32 {
    unsafe keys.payload.load(fromByteOffset: index &<< 2, as: Int32.self)
  }

  /// The first entry whose key is not less than `chunk`.
  func lowerBound(of chunk: Int32) -> Int {
    var low = 0
    var length = count
    while length > 0 {
      let half = length &>> 1
      let isLess = key(at: low &+ half) < chunk
      low = isLess ? low &+ half &+ 1 : low
      length = isLess ? length &- half &- 1 : half
    }
    return low
  }

  /// The first entry from `start` on whose key is not less than `chunk`.
  func lowerBound(of chunk: Int32, from start: Int) -> Int {
    var low = start
    var high = count
    while low < high {
      let middle = (low &+ high) &>> 1
      if key(at: middle) < chunk { low = middle &+ 1 } else { high = middle }
    }
    return low
  }

  /// The first entry from `start` on whose key is greater than `chunk`.
  func upperBound(of chunk: Int32, from start: Int) -> Int {
    chunk == .max ? count : lowerBound(of: chunk &+ 1, from: start)
  }

  var keysRef: Ref { Ref(Int(node.uncheckedInteger(at: 0))) }

  /// The bounds of the keys of a child; nil for the first, whose keys have no lower bound.
  func bounds(ofChild index: Int) -> ChunkBounds? {
    index == 0 ? nil : ChunkBounds(lower: key(at: index - 1), upper: key(at: index))
  }

  /// As `lowerBound(of:)`, where something is known of the keys.
  ///
  /// Chunks of numbers and IDs spread evenly, so the place is guessed and searched around: a lookup
  /// in a big index waits for memory, and this touches one or two cache lines of the keys where
  /// a binary search touches five. The slot that belongs to the guess is asked for at once.
  func lowerBound(of chunk: Int32, within bounds: ChunkBounds?) -> Int {
    let count = count
    guard count > 16, let bounds, chunk > bounds.lower, chunk <= bounds.upper else {
      return lowerBound(of: chunk)
    }
    let span = Int(bounds.upper) &- Int(bounds.lower)
    let guess = min(count &* (Int(chunk) &- Int(bounds.lower)) / span, count &- 1)
    if !isInner { node.prefetchInteger(at: guess &+ 1) }
    // All keys before `low` are less than the chunk, those from `high` on are not.
    var low: Int
    var high: Int
    var step = 8
    if key(at: guess) < chunk {
      low = guess &+ 1
      high = low &+ step
      while high < count, key(at: high &- 1) < chunk {
        low = high
        step &*= 2
        high = low &+ step
      }
      high = min(high, count)
    } else {
      high = guess
      low = high &- step
      while low > 0, key(at: low &- 1) >= chunk {
        high = low &- 1
        step &*= 2
        low = high &- step
      }
      low = max(low, 0)
    }
    while low < high {
      let middle = (low &+ high) &>> 1
      if key(at: middle) < chunk { low = middle &+ 1 } else { high = middle }
    }
    return low
  }

  /// Asks for the key and the slot that a child is expected to have for `chunk`, before the header
  /// of the child is known, which would say where its keys are.
  ///
  /// A commit writes each node right after its keys, and neighbours one after the other: half of
  /// the distance between two of them are keys, half are slots. A wrong guess costs two lines.
  func prefetch(_ chunk: Int32, _ bounds: ChunkBounds, inChild index: Int, in space: NodeSpace) {
    let child = Int(node.uncheckedInteger(at: index &+ 1))
    let half = (child &- Int(node.uncheckedInteger(at: index))) &>> 1
    let span = Int(bounds.upper) &- Int(bounds.lower)
    guard half > 0, half < 4096, span > 0 else { return }
    let place = half &* (Int(chunk) &- Int(bounds.lower)) / span
    space.prefetchHeader(at: Ref(child &- half &+ place))
    space.prefetchHeader(at: Ref(child &+ place))
  }

  func entry(at index: Int, in space: NodeSpace) throws(StorageError) -> SearchIndexEntry {
    try SearchIndexEntry(slot: node.uncheckedInteger(at: index &+ 1), in: space)
  }
}

/// The entry of one chunk in a leaf node.
enum SearchIndexEntry {
  /// Exactly one object has a value that begins so.
  case object(ObjectKey)
  /// A B+ tree of object keys.
  case list(Ref)
  /// The index over the next four bytes.
  case subindex(Ref)

  /// The decoded slot of a leaf node.
  init(slot: Int64, in space: NodeSpace) throws(StorageError) {
    if slot & 1 == 1 {
      self = .object(ObjectKey(Int64(UInt64(bitPattern: slot) >> 1)))
      return
    }
    guard let ref = Ref(slot: slot) else {
      throw .corrupted("a search index has an empty entry")
    }
    self = try space.node(at: ref).header.hasContext ? .subindex(ref) : .list(ref)
  }
}

/// The keys of a node lie above `lower` and at most at `upper`.
struct ChunkBounds {
  let lower: Int32
  let upper: Int32
}
