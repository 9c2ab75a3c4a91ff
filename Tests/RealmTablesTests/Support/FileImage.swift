// SPDX-License-Identifier: Apache-2.0

// A file in memory, with a slab above it, for tests that read and damage nodes without a file.

import Foundation
import RealmStorage
import Testing

@testable import RealmTables

/// The bytes of a file at the start of a reservation, as a write transaction sees them.
///
/// Edits go through `allocator` like those of any transaction; nothing is ever committed.
final class FileImage {
  let reservation: AddressReservation
  let allocator: NodeAllocator
  var tableNames: Ref
  var tables: Ref

  var space: NodeSpace { allocator.space }

  /// An image of a whole file; only the header's fields that a valid file needs are read.
  init(_ bytes: [UInt8]) throws {
    let capacity = max((bytes.count + 0xFFFF) & ~0xFFFF, 0x10000)
    let reservation = try AddressReservation(
      path: "", fileCapacity: capacity, slabCapacity: 64 << 20, minimumFileCapacity: capacity)
    mprotect(reservation.base, capacity, PROT_READ | PROT_WRITE)
    reservation.base.copyMemory(from: bytes, byteCount: bytes.count)
    self.reservation = reservation
    func word(_ offset: Int) -> Int {
      Int(truncatingIfNeeded: reservation.base.load(fromByteOffset: offset, as: UInt64.self))
    }
    let isStreaming = bytes[23] & 1 == 0 && word(0) == -1
    let top = isStreaming ? word(bytes.count - 16) : word(bytes[23] & 1 == 0 ? 0 : 8)
    var fileEnd = 24
    (tableNames, tables) = (.null, .null)
    if top != 0 {
      let node = try NodeSpace(base: reservation.base, fileEnd: bytes.count).node(at: Ref(top))
      tableNames = try node.ref(at: 0)
      tables = try node.ref(at: 1)
      fileEnd = try node.taggedNumber(at: 2)
    }
    allocator = NodeAllocator(
      space: NodeSpace(
        base: reservation.base, fileEnd: fileEnd, slabStart: reservation.fileCapacity,
        slabEnd: reservation.fileCapacity + reservation.slabCapacity))
  }

  convenience init(fixture: String) throws {
    try self.init(try Fixture(fixture).bytes())
  }

  // MARK: Damaging

  /// Replaces element `index` of the node that `path` leads to, from the array of tables down.
  ///
  /// Each step is a slot of a has-refs node; every node on the way is copied.
  func set(_ value: Int64, at index: Int, path: [Int]) throws {
    try edit(path) { ref in try IntegerNode.set(value, at: index, in: ref, allocator) }
  }

  /// Replaces the node that `path` leads to by what `body` makes of it.
  func edit(_ path: [Int], _ body: (Ref) throws -> Ref) throws {
    tables = try edit(tables, path[...], body)
  }

  private func edit(
    _ ref: Ref, _ path: ArraySlice<Int>, _ body: (Ref) throws -> Ref
  ) throws -> Ref {
    guard let slot = path.first else { return try body(ref) }
    let child = try edit(try space.node(at: ref).ref(at: slot), path.dropFirst(), body)
    return try IntegerNode.set(child.slot, at: slot, in: ref, allocator)
  }

  /// The node that `path` leads to.
  func node(_ path: [Int]) throws -> Node {
    var node = try space.node(at: tables)
    for slot in path { node = try space.node(at: try node.ref(at: slot)) }
    return node
  }

  // MARK: Checking

  /// The position of a table in the array of tables.
  func index(of table: String) throws -> Int {
    let names = try space.node(at: tableNames)
    return try #require(try NameLeaf.index(of: table, in: names))
  }

  /// What the check of tables finds.
  func findings() -> [CheckFinding] {
    DatabaseCheck.run(tableNames: tableNames, tables: tables, in: space)
  }
}
