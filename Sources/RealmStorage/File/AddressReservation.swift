// SPDX-License-Identifier: Apache-2.0

// A range of addresses that is ours, whether or not anything is mapped there.

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// One contiguous reserved address range: the file is mapped at its start, the slab of uncommitted
/// nodes lies in its upper part.
///
/// Reserving costs no memory. The range is released with its last owner, so a snapshot keeps it.
@safe
package final class AddressReservation: Sendable {
  /// The first byte; page-aligned.
  package var base: UnsafeMutableRawPointer { unsafe start }
  /// Bytes for the file.
  package let fileCapacity: Int
  /// Bytes for the slab, which starts at offset `fileCapacity`.
  package let slabCapacity: Int

  // An address, never changed; the memory there is guarded by its mapper.
  nonisolated(unsafe) private let start: UnsafeMutableRawPointer

  /// Reserves address space for a file and a slab, and makes the slab writable.
  ///
  /// Where the system refuses that much (address space limits of a process), smaller ranges are
  /// tried down to what the file needs now.
  ///
  /// - Throws: `StorageError.addressSpaceExhausted`.
  package init(
    path: String, fileCapacity: Int, slabCapacity: Int, minimumFileCapacity: Int
  ) throws(StorageError) {
    var file = fileCapacity
    var slab = slabCapacity
    while true {
      if let start = unsafe Self.reserve(file: file, slab: slab) {
        unsafe self.start = unsafe start
        self.fileCapacity = file
        self.slabCapacity = slab
        return
      }
      guard file / 2 >= minimumFileCapacity, slab / 2 >= Self.minimumSlabCapacity else {
        throw .addressSpaceExhausted(path: path, byteCount: file + slab)
      }
      file /= 2
      slab /= 2
    }
  }

  deinit { unsafe munmap(start, fileCapacity + slabCapacity) }

  private static let minimumSlabCapacity = 16 << 20

  private static func reserve(file: Int, slab: Int) -> UnsafeMutableRawPointer? {
    let flags = MAP_PRIVATE | anonymous | MAP_NORESERVE
    let range = unsafe mmap(nil, file + slab, PROT_NONE, flags, -1, 0)
    guard let range = unsafe range, unsafe range != MAP_FAILED else { return nil }
    let upper = unsafe mmap(
      range + file, slab, PROT_READ | PROT_WRITE, flags | MAP_FIXED, -1, 0)
    guard unsafe upper != MAP_FAILED else {
      unsafe munmap(range, file + slab)
      return nil
    }
    return unsafe range
  }

  /// Gives the slab's memory back to the system; its bytes read as zero afterwards.
  package func releaseSlab(byteCount: Int) {
    guard byteCount > 0 else { return }
    unsafe madvise(start + fileCapacity, min(byteCount, slabCapacity), MADV_DONTNEED)
  }

  #if canImport(Darwin)
  private static let anonymous = MAP_ANON
  #else
  private static let anonymous = MAP_ANONYMOUS
  #endif
}
