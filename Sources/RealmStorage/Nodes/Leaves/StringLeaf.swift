// SPDX-License-Identifier: Apache-2.0

// Strings: a leaf starts short, and becomes medium or big when a longer value arrives.

/// A leaf of strings, nullable or not (file format 4.4).
///
/// | form | flags | while all values are |
/// | --- | --- | --- |
/// | short | none | at most 15 bytes |
/// | medium | has-refs | at most 63 bytes |
/// | big | has-refs, context | any |
package enum StringLeaf: Leaf {
  package typealias Value = ByteView?

  package static func zero(isNullable: Bool) -> ByteView? { isNullable ? nil : .empty }

  /// The longest string that a database holds.
  package static let maximumByteCount = 0xFF_FFEF

  static let mediumLimit = 63
  static let terminator = 1

  package static func make(in allocator: NodeAllocator) throws(StorageError) -> Ref {
    try allocator.allocate(
      NodeHeader(flags: [], layout: .multiply, widthCode: 0, count: 0), capacity: 32
    ).ref
  }

  package static func count(_ ref: Ref, in space: NodeSpace) throws(StorageError) -> Int {
    let node = try space.node(at: ref)
    return switch BytesForm(node.header) {
    case .short, .big: node.count
    case .medium: try MediumBlobs.count(node, in: space)
    }
  }

  package static func value(
    at index: Int, of ref: Ref, in space: NodeSpace
  ) throws(StorageError) -> ByteView? {
    try bytes(at: index, of: try space.node(at: ref), in: space)
  }

  /// The element at `index` of a leaf whose outer node is at hand.
  package static func bytes(
    at index: Int, of node: Node, in space: NodeSpace
  ) throws(StorageError) -> ByteView? {
    switch BytesForm(node.header) {
    case .short:
      try ShortStrings.value(at: index, of: node)
    case .medium:
      try MediumBlobs.value(at: index, of: node, terminator: terminator, in: space)
    case .big:
      try BigBlobs.value(at: index, of: node, terminator: terminator, in: space)
    }
  }

  package static func insert(
    _ value: ByteView?, at index: Int, in ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    guard let value, allocator.holds(value) else {
      if appendInPlace(value, at: index, to: ref, allocator) { return ref }
      return try insertOutside(value, at: index, in: ref, allocator)
    }
    return try value.withCopy { (copy) throws(StorageError) in
      try insertOutside(copy, at: index, in: ref, allocator)
    }
  }

  /// Appends a value to a leaf that this transaction made, if it has the form and the room for it.
  ///
  /// - Returns: whether that was so; nothing has changed otherwise.
  @inline(__always)
  private static func appendInPlace(
    _ value: ByteView?, at index: Int, to ref: Ref, _ allocator: NodeAllocator
  ) -> Bool {
    guard allocator.isWritable(ref) else { return false }
    let node = allocator.mutableNode(at: ref)
    switch BytesForm(node.header) {
    case .short: return ShortStrings.append(value, at: index, to: node)
    case .medium:
      guard value?.count ?? 0 <= mediumLimit else { return false }
      return MediumBlobs.append(value, at: index, to: node, terminator: terminator, allocator)
    case .big: return false
    }
  }

  /// `insert` of a string that does not lie in the slab, where the edit might overwrite it.
  private static func insertOutside(
    _ value: ByteView?, at index: Int, in ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    let (ref, form) = try prepared(ref, for: value, allocator)
    return switch form {
    case .short: try ShortStrings.insert(value, at: index, in: ref, allocator)
    case .medium:
      try MediumBlobs.insert(value, at: index, in: ref, terminator: terminator, allocator)
    case .big: try BigBlobs.insert(value, at: index, in: ref, terminator: terminator, allocator)
    }
  }

  package static func set(
    _ value: ByteView?, at index: Int, in ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    try allocator.withOutside(value) { (value) throws(StorageError) -> Ref in
      let (ref, form) = try prepared(ref, for: value, allocator)
      return switch form {
      case .short: try ShortStrings.set(value, at: index, in: ref, allocator)
      case .medium:
        try MediumBlobs.set(value, at: index, in: ref, terminator: terminator, allocator)
      case .big: try BigBlobs.set(value, at: index, in: ref, terminator: terminator, allocator)
      }
    }
  }

  package static func remove(
    at index: Int, from ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    switch BytesForm(try allocator.node(at: ref).header) {
    case .short: try ShortStrings.remove(at: index, from: ref, allocator)
    case .medium: try MediumBlobs.remove(at: index, from: ref, allocator)
    case .big: try BigBlobs.remove(at: index, from: ref, allocator)
    }
  }

  package static func split(
    _ ref: Ref, at index: Int, _ allocator: NodeAllocator
  ) throws(StorageError) -> (Ref, Ref) {
    let form = BytesForm(try allocator.node(at: ref).header)
    // The blobs of the big form just change their parent.
    if form == .big { return try IntegerNode.split(ref, at: index, allocator) }
    let count = try count(ref, in: allocator.space)
    var moved = try make(in: allocator)
    for position in index..<max(index, count) {
      let value = try value(at: position, of: ref, in: allocator.space)
      moved = try insert(value, at: position - index, in: moved, allocator)
    }
    if form == .medium { return (try MediumBlobs.truncate(to: index, ref, allocator), moved) }
    let kept = try allocator.makeWritable(ref)
    guard index >= 0, index <= count else { throw .elementOutOfBounds(index, in: kept.node) }
    kept.setCount(index)
    return (kept.ref, moved)
  }

  package static func validate(_ ref: Ref, in space: NodeSpace) throws(StorageError) {
    let node = try space.node(at: ref)
    switch BytesForm(node.header) {
    case .short: try ShortStrings.validate(node)
    case .medium: try MediumBlobs.validate(node, terminator: terminator, in: space)
    case .big: try BigBlobs.validate(node, terminator: terminator, in: space)
    }
  }

  // MARK: Changing the form

  /// The leaf in a form that can take `value`.
  private static func prepared(
    _ ref: Ref, for value: ByteView?, _ allocator: NodeAllocator
  ) throws(StorageError) -> (Ref, BytesForm) {
    let form = BytesForm(try allocator.node(at: ref).header)
    let byteCount = value?.count ?? 0
    guard byteCount <= maximumByteCount else {
      throw .limitExceeded(
        "String too big: \(byteCount) bytes, and the limit is \(maximumByteCount). Store it in a "
          + "file of its own, and here its path")
    }
    let limit =
      switch form {
      case .short: ShortStrings.maximumByteCount
      case .medium: mediumLimit
      case .big: maximumByteCount
      }
    if byteCount <= limit { return (ref, form) }
    let target: BytesForm = byteCount <= mediumLimit ? .medium : .big
    var new =
      target == .medium ? try MediumBlobs.make(in: allocator) : try BigBlobs.make(in: allocator)
    for index in 0..<(try count(ref, in: allocator.space)) {
      let old = try self.value(at: index, of: ref, in: allocator.space)
      new =
        target == .medium
        ? try MediumBlobs.insert(old, at: index, in: new, terminator: terminator, allocator)
        : try BigBlobs.insert(old, at: index, in: new, terminator: terminator, allocator)
    }
    try allocator.freeTree(ref)
    return (new, target)
  }
}

/// The forms of string and binary leaves, as the flags of the outer node say.
enum BytesForm {
  case short, medium, big

  @inline(__always)
  init(_ header: NodeHeader) {
    self = !header.hasRefs ? .short : header.hasContext ? .big : .medium
  }
}
