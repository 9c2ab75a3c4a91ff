// SPDX-License-Identifier: Apache-2.0

// An allocator without a file, for tests of nodes and trees.

package import RealmStorage

/// A reserved address range and an allocator over it: a write transaction without a database.
package final class ScratchSpace {
  package let allocator: NodeAllocator
  private let reservation: AddressReservation

  package var space: NodeSpace { allocator.space }

  package init() throws(StorageError) {
    reservation = try AddressReservation(
      path: "scratch", fileCapacity: 1 << 20, slabCapacity: 1 << 30, minimumFileCapacity: 1 << 20)
    allocator = NodeAllocator(
      space: NodeSpace(
        base: UnsafeRawPointer(reservation.base), fileEnd: 24,
        slabStart: reservation.fileCapacity,
        slabEnd: reservation.fileCapacity + reservation.slabCapacity))
  }
}
