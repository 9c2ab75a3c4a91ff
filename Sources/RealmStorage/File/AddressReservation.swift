// SPDX-License-Identifier: Apache-2.0

// A range of addresses that is ours, whether or not anything is mapped there.

import CRealmPlatform

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Two reserved address ranges: the file is mapped in the lower one, the slab of uncommitted nodes
/// lies in the upper one.
///
/// The gap between them is not ours. It makes refs into the slab larger than any ref into the file
/// during a transaction. Reserving costs no memory. The ranges are released with their last owner,
/// so a snapshot keeps them; the upper one may be given up between transactions (`SlabSpace`).
///
/// A forked child has zeros in place of the file: a mapping would keep the locks of the parent's
/// descriptor after its death.
@safe
package final class AddressReservation: Sendable {
  /// The first byte; page-aligned.
  package var base: UnsafeMutableRawPointer { unsafe start }
  /// Bytes for the file.
  package let fileCapacity: Int
  /// The distance from the first byte to the slab.
  package let slabStart: Int
  /// Bytes for the slab.
  package var slabCapacity: Int { slab.byteCount }

  // An address, never changed; the memory there is guarded by its mapper.
  nonisolated(unsafe) private let start: UnsafeMutableRawPointer
  // nonisolated(unsafe): set once; only C code reads the item, under a lock of its own.
  nonisolated(unsafe) private let forkItem: OpaquePointer?
  private let slab: SlabSpace.Slab
  private let slabs: SlabSpace

  /// Reserves address space for a file and a slab, and makes the slab writable. It is in use until
  /// `giveSlabBack()`.
  ///
  /// Where the system refuses, the slabs without a transaction are given up; after them (address
  /// space limits of a process) smaller ranges are tried, down to the present need of the file.
  ///
  /// - Parameters:
  ///   - slabCapacity: 0 for a file without writers.
  ///   - gapPerSlab: How many times the slab's length lies between the file and the slab.
  /// - Throws: `StorageError.addressSpaceExhausted`.
  package init(
    path: String, fileCapacity: Int, slabCapacity: Int, minimumFileCapacity: Int,
    gapPerSlab: Int = 0, slabs: SlabSpace = .shared
  ) throws(StorageError) {
    self.slabs = slabs
    var file = fileCapacity
    var slab = slabCapacity
    while true {
      let slabStart = file + gapPerSlab * slab
      if let start = unsafe Self.reserve(file: file, slabStart: slabStart, slab: slab) {
        unsafe self.start = unsafe start
        unsafe forkItem = unsafe realm_fork_add(REALM_FORK_REPLACE, start, file)
        self.fileCapacity = file
        self.slabStart = slabStart
        self.slab = unsafe SlabSpace.Slab(at: start + slabStart, byteCount: slab)
        slabs.add(self.slab)
        return
      }
      if slabs.detachIdle() { continue }
      let smallerFile = max(file / 2, minimumFileCapacity)
      let smallerSlab = max(slab / 2, min(slab, Self.minimumSlabCapacity))
      guard smallerFile < file || smallerSlab < slab else {
        throw .addressSpaceExhausted(path: path, byteCount: file + slab)
      }
      file = smallerFile
      slab = smallerSlab
    }
  }

  deinit {
    slabs.remove(slab)
    unsafe realm_fork_remove(forkItem)
    unsafe munmap(start, fileCapacity)
  }

  /// Larger transactions need a larger part of the address space.
  private static let minimumSlabCapacity = 16 << 20

  private static func reserve(
    file: Int, slabStart: Int, slab: Int
  ) -> UnsafeMutableRawPointer? {
    let flags = MAP_PRIVATE | SlabSpace.anonymous | MAP_NORESERVE
    let range = unsafe mmap(nil, slabStart + slab, PROT_NONE, flags, -1, 0)
    guard let range = unsafe range, unsafe range != MAP_FAILED else { return nil }
    guard slab > 0 else { return unsafe range }
    let upper = unsafe mmap(
      range + slabStart, slab, PROT_READ | PROT_WRITE, flags | MAP_FIXED, -1, 0)
    guard unsafe upper != MAP_FAILED else {
      unsafe munmap(range, slabStart + slab)
      return nil
    }
    if slabStart > file { unsafe munmap(range + file, slabStart - file) }
    return unsafe range
  }

  // MARK: The slab

  /// Takes the slab for a transaction. False if there is none, or its addresses are in use by
  /// others: it was given up meanwhile.
  func takeSlab() -> Bool { slabs.take(slab) }

  /// Ends the use of the slab; it may be given up from now on.
  func giveSlabBack() { slab.giveBack() }

  /// Gives the slab's memory back to the system; its bytes read as zero afterwards. The caller has
  /// the slab.
  package func releaseSlab(byteCount: Int) {
    guard byteCount > 0 else { return }
    unsafe madvise(start + slabStart, min(byteCount, slabCapacity), MADV_DONTNEED)
  }
}
