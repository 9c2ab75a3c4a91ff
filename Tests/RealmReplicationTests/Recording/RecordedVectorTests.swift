// SPDX-License-Identifier: Apache-2.0

// The vectors of P2 A.6: the calls there are recorded as exactly those bytes.

import RealmReplication
import RealmStorage
import RealmSyncProtocol
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@Suite("Recorded vectors")
struct RecordedVectorTests {
  private static let id = Bytes12(high: 0x6B01_46C7_3308_43DD, low: 0xAB5D_51A8)
  private static let uuid = Bytes16(high: 0x0001_0203_0405_0607, low: 0x0809_0A0B_0C0D_0E0F)
  private static let object = "000a6b0146c7330843ddab5d51a8"

  /// Makes the classes of the vectors.
  private static func makeSchema(_ group: WriteGroup) throws {
    let item = try group.createTable(named: "class_Item")
    let sub = try group.createTable(named: "class_Sub", kind: .embedded)
    let id = try item.addColumn(named: "_id", type: .objectId)
    try item.addColumn(named: "name", type: .string)
    try item.addColumn(named: "count", type: .int)
    try item.addColumn(named: "tags", type: .string, collection: .list)
    try item.addColumn(named: "any", type: .mixed)
    try item.addColumn(named: "when", type: .timestamp, isNullable: true)
    try item.addColumn(named: "attrs", type: .mixed, collection: .dictionary)
    try item.addColumn(named: "uids", type: .uuid, collection: .set)
    try item.addColumn(named: "sub", type: .link, target: sub.key)
    try item.addColumn(named: "next", type: .link, target: item.key)
    try item.addColumn(named: "price", type: .decimal, isNullable: true)
    try item.setPrimaryKey(id.key)
    try sub.addColumn(named: "x", type: .double)
  }

  @Test func aSchema() throws {
    let bytes = try ReplicaFile().write(Self.makeSchema)
    expectEqual(
      hex(bytes),
      """
      3f00044974656d3f01035f6964000000010a003f02035375620002013f03046e616d653f0400060003030000\
      3f0505636f756e740600050100003f0604746167730600060300013f0703616e790600070001003f08047768\
      656e0600080501003f09056174747273060009000102033f0a047569647306000a0b00033f0b037375620600\
      0b090100023f0c046e65787406000c090100003f0d05707269636506000d0801003f0e017806020e070000
      """)
  }

  /// A definition of a string.
  private static func string(_ index: UInt8, _ text: String) -> String {
    hex([0x3F, index, UInt8(text.utf8.count)] + Array(text.utf8))
  }

  @Test func anObject() throws {
    let file = try ReplicaFile()
    try file.write(Self.makeSchema)
    let bytes = try file.write { group in
      let item = try group.existing("Item")
      let sub = try group.existing("Sub")
      let (key, _) = try item.createObject(primaryKey: .objectId(Self.id))
      try item.set(.string("hello 0"), "name", key)
      try item.set(.int(41), "count", key)
      try item.add(1, to: item.column(named: "count"), of: key)
      let tags = try item.list("tags", key)
      try tags.append(.string("a"))
      try tags.append(.string("b"))
      try tags.insert(.string("mid"), at: 1)
      try tags.move(from: 0, to: 2)
      try tags.remove(at: 1)
      try tags.set(.string("z"), at: 0)
      try item.set(.timestamp(Timestamp(seconds: 1_700_000_000, nanoseconds: 5)), "when", key)
      try item.set(.double(3.5), "any", key)
      try item.set(
        .decimal(DecimalBits(isNegative: true, coefficient: 1250, exponent: -2)), "price", key)
      try item.map("attrs", key).set(.bool(true), for: "k")
      try group.withoutRecording(
        item.dictionary(item.schema.column(named: "attrs")!, key).set(.null, for: "gone"))
      try item.map("attrs", key).remove("gone")
      try item.members("uids", key).insert(.uuid(Self.uuid))
      let (part, _) = try item.createEmbedded(item.column(named: "sub"), of: key)
      try sub.set(.double(-2.5), "x", part)
      try item.set(.link(key), "next", key)
    }
    let o = Self.object
    expectEqual(
      hex(bytes),
      [
        Self.string(0, "Item"), "02\(o)",
        Self.string(1, "name"), "04\(o)01000307" + hex("hello 0".utf8) + "00",
        Self.string(2, "count"), "04\(o)0200012900", "05\(o)020001",
        Self.string(3, "tags"), "08\(o)03010003016100", "08\(o)03010103016201",
        "08\(o)03010103036d696402", "09\(o)0301000203", "0a\(o)03010103",
        "04\(o)03010003017a02",
        Self.string(4, "when"), "04\(o)04000580e2cfaa060500",
        Self.string(5, "any"), "04\(o)0500070000000000000c4000",
        Self.string(6, "price"), "04\(o)060008e209410100",
        Self.string(7, "attrs"), Self.string(8, "k"), "04\(o)07014008020100",
        Self.string(9, "gone"), "04\(o)070140094300",
        Self.string(10, "uids"), "0c\(o)0a000b000102030405060708090a0b0c0d0e0f",
        Self.string(11, "sub"), Self.string(12, "Sub"), "04\(o)0b004100",
        Self.string(13, "x"), "04\(o)0b01400d0700000000000004c000",
        Self.string(14, "next"), "04\(o)0e0009\(o)00",
      ].joined())
  }

  @Test func anErasedObject() throws {
    let file = try ReplicaFile()
    try file.write(Self.makeSchema)
    try file.write {
      _ = try $0.existing("Item").createObject(primaryKey: .objectId(Self.id))
    }
    let bytes = try file.write { group in
      let item = try group.existing("Item")
      let (key, _) = try #require(try item.findRow(primaryKey: .objectId(Self.id)))
      try item.delete(key)
    }
    expectEqual(hex(bytes), "3f00044974656d0300" + "0a6b0146c7330843ddab5d51a8")
  }
}
