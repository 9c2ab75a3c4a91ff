// SPDX-License-Identifier: Apache-2.0

// A range of addresses that is ours, whether or not anything is mapped there.

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Two reserved address ranges: the file is mapped in the lower one, the slab of uncommitted nodes
/// lies in the upper one.
///
/// What lies between them is not ours. It makes refs into the slab larger than any that a transaction
/// may get in the file. Reserving costs no memory. The ranges are released with their last owner, so
/// a snapshot keeps them; the upper one may be given up while no transaction uses it (`SlabSpace`).
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
  private let slab: SlabSpace.Slab
  private let slabs: SlabSpace

  /// Reserves address space for a file and a slab, and makes the slab writable, which is in use
  /// until `giveSlabBack()`.
  ///
  /// Where the system refuses that much, slabs that no transaction uses are given up; after them
  /// (address space limits of a process) smaller ranges are tried down to what the file needs now.
  ///
  /// - Parameters:
  ///   - slabCapacity: 0 for a file that is not written.
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
    unsafe munmap(start, fileCapacity)
  }

  /// A transaction that is larger than this needs a larger part of the address space.
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
