// SPDX-License-Identifier: Apache-2.0

// The history of a synchronised file: a node of 21 slots.
//
// 1. Each version after `base` has exactly one entry: entry k describes the step to version
//    `base + k + 1`, and `base` is the version less the number of entries.
// 2. Slots 13 to 17 are trees of equal length, one element for each entry. A missing tree is empty.
// 3. Numbers are tagged, so they are never negative; a slot that is 0 holds the number 0.
// 4. Slot 0 is a history as local files have it (`History`), and numbers its entries for itself.
// 5. What slots 1, 18 and 19 hold is kept as it is.
//
//     0   changesets for observers       1   (identifier, unused)    2   salt of the identifier
//     3   latest server version          4   its salt
//     5   download: server version       6   download: client version
//     7   upload: client version         8   upload: server version
//     9   downloaded bytes               10  downloadable bytes
//     11  uploaded bytes                 12  uploadable bytes
//     13  changesets                     14  reciprocals             15  remote versions
//     16  origin files                   17  origin timestamps       18  state of object keys
//     19  (unused)                       20  log of schema versions (`SyncSchemaLog`)

/// The decoded history of a synchronised file in one version.
///
/// It keeps the version alive that it reads. One that a transaction has changed is read before the
/// transaction ends.
package struct SyncHistory: Sendable {
  typealias Bytes = BTree<BinaryLeaf>
  typealias Integers = BTree<IntegerLeaf>

  /// The forms of the history that can be continued: before 12, changesets are not compressed.
  package static let schemaVersions = 11...12
  static let slotCount = 21

  let space: NodeSpace
  private let owner: any AnyObject & Sendable
  /// The version that the newest entry describes.
  package internal(set) var version: UInt64
  package internal(set) var schemaVersion: Int
  /// The number of entries.
  package internal(set) var count = 0
  /// The salt of the identifier that the server has given the file.
  package internal(set) var fileSalt: Int64 = 0
  package internal(set) var progress = SyncProgress()

  /// The changesets for observers (invariant 4).
  var local = Ref.null
  var changesets = Ref.null
  var reciprocals = Ref.null
  var remoteVersions = Ref.null
  var originFiles = Ref.null
  var originTimestamps = Ref.null
  var schemaLog: Int64 = 0
  private var kept: (slot1: Int64, slot18: Int64, slot19: Int64) = (Tagged.slot(0), 0, 0)

  /// The history of a file that was never committed to, or of one that starts again.
  ///
  /// - Parameter owner: Keeps the nodes in `space` where they are.
  init(version: UInt64, in space: NodeSpace, of owner: any AnyObject & Sendable) {
    self.space = space
    self.owner = owner
    self.version = version
    schemaVersion = Self.schemaVersions.upperBound
  }

  /// Reads the history at `root`.
  ///
  /// - Parameter owner: Keeps the nodes in `space` where they are.
  /// - Throws: `StorageError.corrupted`.
  init(
    at root: Ref, schemaVersion: Int, version: UInt64, in space: NodeSpace,
    of owner: any AnyObject & Sendable
  ) throws(StorageError) {
    self.space = space
    self.owner = owner
    self.version = version
    self.schemaVersion = schemaVersion
    let node = try space.node(at: root)
    guard node.header.hasRefs, !node.header.isInner, node.header.layout == .bits,
      node.count == Self.slotCount
    else { throw .corrupted("the history of a synchronised file does not have 21 slots") }
    local = try node.ref(at: 0)
    kept = (try node.integer(at: 1), try node.integer(at: 18), try node.integer(at: 19))
    fileSalt = Int64(try Self.number(2, of: node))
    try readProgress(node)
    changesets = try node.ref(at: 13)
    reciprocals = try node.ref(at: 14)
    remoteVersions = try node.ref(at: 15)
    originFiles = try node.ref(at: 16)
    originTimestamps = try node.ref(at: 17)
    schemaLog = try node.integer(at: 20)
    try countEntries()
  }

  private mutating func readProgress(_ node: Node) throws(StorageError) {
    progress.latestServerVersion = UInt64(try Self.number(3, of: node))
    progress.latestServerVersionSalt = Int64(try Self.number(4, of: node))
    progress.download.serverVersion = UInt64(try Self.number(5, of: node))
    progress.download.clientVersion = UInt64(try Self.number(6, of: node))
    progress.upload.clientVersion = UInt64(try Self.number(7, of: node))
    progress.upload.serverVersion = UInt64(try Self.number(8, of: node))
    progress.downloadedByteCount = try Self.number(9, of: node)
    progress.downloadableByteCount = try Self.number(10, of: node)
    progress.uploadedByteCount = try Self.number(11, of: node)
    progress.uploadableByteCount = try Self.number(12, of: node)
  }

  private static func number(_ index: Int, of node: Node) throws(StorageError) -> Int {
    try node.integer(at: index) == 0 ? 0 : try node.taggedNumber(at: index)
  }

  private mutating func countEntries() throws(StorageError) {
    count = changesets.isNull ? 0 : try Bytes.count(changesets, in: space)
    var counts = [reciprocals.isNull ? 0 : try Bytes.count(reciprocals, in: space)]
    for tree in [remoteVersions, originFiles, originTimestamps] {
      counts.append(tree.isNull ? 0 : try Integers.count(tree, in: space))
    }
    for other in counts where other != count {
      throw .corrupted("the parts of a synchronised file's history differ in length")
    }
    guard UInt64(count) < version, count <= Self.maximumCount(inFileOf: space.fileEnd) else {
      throw .corrupted("there are \(count) entries of synchronisation in version \(version)")
    }
  }

  /// The most entries that have room in a file. Each thousand of them have a leaf in each of the
  /// five trees, which are 100 bytes even if all entries are alike and empty. So walks over the
  /// entries of a damaged file end.
  private static func maximumCount(inFileOf byteCount: Int) -> Int {
    BTreeLimits.entryCount + byteCount * (BTreeLimits.entryCount / 100)
  }

  // MARK: Writing

  /// The slots of the root.
  ///
  /// - Throws: `StorageError.limitExceeded` for a number of more than 63 bits.
  func slots() throws(StorageError) -> [Int64] {
    let numbers = [
      fileSalt, try Self.stored(progress.latestServerVersion), progress.latestServerVersionSalt,
      try Self.stored(progress.download.serverVersion),
      try Self.stored(progress.download.clientVersion),
      try Self.stored(progress.upload.clientVersion),
      try Self.stored(progress.upload.serverVersion), Int64(progress.downloadedByteCount),
      Int64(progress.downloadableByteCount), Int64(progress.uploadedByteCount),
      Int64(progress.uploadableByteCount),
    ]
    var slots = [local.slot, kept.slot1]
    for number in numbers {
      guard number >= 0 else { throw .limitExceeded("A number of synchronisation is negative") }
      slots.append(Tagged.slot(Int(number)))
    }
    slots += [changesets, reciprocals, remoteVersions, originFiles, originTimestamps].map(\.slot)
    slots += [kept.slot18, kept.slot19, schemaLog]
    assert(slots.count == Self.slotCount, "the root has its slots")
    return slots
  }

  /// Writes the root; `old`, if there is one, is given up.
  func write(replacing old: Ref, _ allocator: NodeAllocator) throws(StorageError) -> Ref {
    let slots = try slots()
    try allocator.free(old)
    return try IntegerNode.make(slots, flags: .hasRefs, in: allocator).ref
  }

  /// The form in which versions stand in the file.
  static func stored(_ version: UInt64) throws(StorageError) -> Int64 {
    guard let number = Int64(exactly: version) else {
      throw .limitExceeded("The version \(version) has more than 63 bits")
    }
    return number
  }
}
