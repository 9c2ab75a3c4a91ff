// SPDX-License-Identifier: Apache-2.0

// Where the file is in memory now.
//
// Little address space is reserved at first. When a file outgrows it, or is written after its slab
// was given up, it is mapped a second time, at another place. Older snapshots stay where they are,
// and so do the nodes of the running transaction. The old place of a plain file after growth costs
// addresses alone, in all no more than the new one, and stays until the file is closed; other old
// places go with the last of their owners.
//
// 1. The mapping is read-only, and never moves or shrinks while it has an owner.
// 2. `byteCount` never shrinks, and is at least the logical size of every snapshot in this place.
// 3. A file is whole at its new place before anybody learns of it. The image of an encrypted file
//    is copied; later versions are brought to the newest place alone, and snapshots in an older one
//    need none of them.

import Synchronization

/// A reserved range with the file in it; released with its last owner.
final class FileMapping: Sendable {
  let reservation: AddressReservation
  private let mapped: Atomic<Int>

  var base: UnsafeRawPointer { unsafe UnsafeRawPointer(reservation.base) }
  /// How much of the file is mapped.
  var byteCount: Int { mapped.load(ordering: .acquiring) }
  /// The smaller place where the file was before.
  fileprivate let former: FileMapping?

  /// How long the file may become in this place.
  var capacity: Int { reservation.fileCapacity }

  /// So many times the length of a slab lies between the file and its slab: in one transaction the
  /// file grows by less.
  static let gapPerSlab = 2

  init(_ reservation: AddressReservation, byteCount: Int, former: FileMapping? = nil) {
    self.reservation = reservation
    self.former = former
    mapped = Atomic(byteCount)
  }

  /// Where the nodes of a version are, up to `fileEnd`.
  func space(through fileEnd: Int) -> NodeSpace { unsafe NodeSpace(base: base, fileEnd: fileEnd) }

  /// Maps more of the file; `physical` is its length. One caller at a time.
  func extend(
    to byteCount: Int, of storage: any StorageFile, physical: Int
  ) throws(StorageError) {
    let old = self.byteCount
    guard old < byteCount else { return }
    assert(byteCount <= capacity, "`FileMapping` 1: a mapping stays in its reservation")
    let start = old & ~(SystemFiles.pageSize - 1)
    try unsafe storage.map(
      start..<byteCount, at: reservation.base + start, isWritable: false)
    let end = (byteCount + SystemFiles.pageSize - 1) & ~(SystemFiles.pageSize - 1)
    mapped.store(min(end, physical), ordering: .releasing)
  }

  /// The bytes to reserve for a file of `byteCount` bytes.
  static func capacity(for byteCount: Int, atLeast wanted: Int) -> Int {
    let page = SystemFiles.pageSize
    return (max(wanted, byteCount * 2, page) + page - 1) / page * page
  }
}

extension DatabaseFile {
  /// Where the file is mapped up to `byteCount` at least.
  ///
  /// Another process or this commit may have made it grow.
  func mapping(through byteCount: Int) throws(StorageError) -> FileMapping {
    try mapping.withLock { current throws(StorageError) in
      guard current.byteCount < byteCount else { return current }
      let physical = try requireLength(byteCount)
      if byteCount <= current.capacity {
        try current.extend(to: byteCount, of: storage, physical: physical)
      } else {
        try move(&current, to: byteCount, physical: physical)
      }
      return current
    }
  }

  /// Where the file is mapped now.
  var currentMapping: FileMapping { mapping.withLock { $0 } }

  /// Reserves address space for a file of `byteCount` bytes, there or not.
  func reserve(through byteCount: Int) throws(StorageError) {
    try mapping.withLock { current throws(StorageError) in
      guard byteCount > current.capacity else { return }
      let physical = try storage.byteCount()
      try move(&current, to: min(physical, current.byteCount), physical: physical, room: byteCount)
    }
  }

  /// A snapshot of the same version in a place with a slab, taken into use.
  ///
  /// The caller holds the right to write.
  func takeSlab(for base: Snapshot) throws(StorageError) -> Snapshot {
    if base.mapping.reservation.takeSlab() { return base }
    let place = try mapping.withLock { current throws(StorageError) -> FileMapping in
      if current === base.mapping || !current.reservation.takeSlab() {
        let physical = try storage.byteCount()
        try move(
          &current, to: min(physical, current.byteCount), physical: physical, keepsSlab: true)
      }
      return current
    }
    do throws(StorageError) {
      // The version is pinned by `base`.
      return Snapshot(base, in: place, pin: try readers.pin(base.version))
    } catch {
      place.reservation.giveSlabBack()
      throw error
    }
  }

  /// Maps the file at a new place.
  ///
  /// If this throws, everything is as it was.
  ///
  /// - Parameters:
  ///   - room: How long the file is going to be at least.
  ///   - keepsSlab: Whether the slab of the new place stays in use.
  private func move(
    _ current: inout FileMapping, to byteCount: Int, physical: Int, room: Int = 0,
    keepsSlab: Bool = false
  ) throws(StorageError) {
    let needed = max(byteCount, room)
    let page = SystemFiles.pageSize
    let reservation = try AddressReservation(
      path: path,
      fileCapacity: FileMapping.capacity(for: needed, atLeast: current.capacity),
      slabCapacity: options.slabCapacity,
      minimumFileCapacity: (needed + page - 1) / page * page + page,
      gapPerSlab: FileMapping.gapPerSlab)
    defer { if !keepsSlab { reservation.giveSlabBack() } }
    let isLarger = reservation.fileCapacity >= 2 * current.capacity
    let new = FileMapping(
      reservation, byteCount: 0,
      former: encrypted != nil ? nil : isLarger ? current : current.former)
    do throws(StorageError) {
      try new.extend(to: byteCount, of: storage, physical: physical)
    } catch {
      if keepsSlab { reservation.giveSlabBack() }
      throw error
    }
    current = new
  }
}
