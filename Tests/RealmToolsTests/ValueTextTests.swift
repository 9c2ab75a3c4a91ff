// SPDX-License-Identifier: Apache-2.0

// Values as texts and back.

#if Tools
import RealmFormats
import RealmQuery
import RealmStorage
import RealmTables
import RealmTestSupport
import RealmTools
import TestExtensions
import Testing

struct ValueTextTests {
  @Test(arguments: [
    ("1970-01-01T00:00:00Z", 0, 0), ("1970-01-02", 86_400, 0),
    ("2000-02-29T12:30:01.5Z", 951_827_401, 500_000_000),
    ("1969-12-31T23:59:59.75Z", 0, -250_000_000), ("0001-01-01T00:00:00Z", -62_135_596_800, 0),
    ("2026-02-28T13:05:00+02:00", 1_772_276_700, 0), ("T253402300800:7", 253_402_300_800, 7),
    ("31.12.2024", 1_735_603_200, 0), ("1.2.2024", 1_706_745_600, 0),
    ("31.12.2024 10:30", 1_735_641_000, 0), ("01.02.2024T00:00:01Z", 1_706_745_601, 0),
    ("2019-01-02 03:04:05 +0000", 1_546_398_245, 0), ("2019-01-02 03:04:05 UTC", 1_546_398_245, 0),
    ("2019-01-02 03:04:05 -0130", 1_546_403_645, 0), ("2019-01-02 03:04:05 Z", 1_546_398_245, 0),
  ])
  func datesAreRead(_ text: String, _ seconds: Int64, _ nanoseconds: Int32) {
    expectEqual(DateText.date(text), Timestamp(seconds: seconds, nanoseconds: nanoseconds))
  }

  @Test(arguments: [
    "", "1970", "1970-13-01", "1970-02-29", "1970-01-01T24:00:00Z", "1970-01-01T00:00:00X",
    "1970-01-01T00:00:00.Z", "T1", "T1:-1", "12", "32.1.2024", "30.2.2024", "1.13.2024", "1.2.24",
    "1.2.20245", "1.2.0000", "1.2.2024.", "12.31", "1.2.2024 ", "2019-01-02 03:04:05 ",
    "2019-01-02 03:04:05 CET", "2019-01-02 +0000",
  ])
  func otherTextsAreNoDates(_ text: String) { expectEqual(DateText.date(text), nil) }

  @Test func datesReadWhatTheyWrite() {
    var random = SeededGenerator(seed: 17)
    for _ in 0..<2000 {
      let seconds = Int64.random(in: -80_000_000_000...300_000_000_000, using: &random)
      let part = Int32.random(in: 0..<1_000_000_000, using: &random)
      let time = Timestamp(seconds: seconds, nanoseconds: seconds < 0 ? -part : part)
      expectEqual(DateText.date(DateText.string(time)), time, "\(DateText.string(time))")
    }
  }

  @Test(
    arguments: [
      (.int, .int(-3)), (.bool, .bool(true)), (.float, .float(0.1)), (.double, .double(1e300)),
      (.string, .string("é\n")), (.binary, .binary([0, 255, 3])),
      (.decimal, .decimal(DecimalBits(isNegative: true, coefficient: 12_345, exponent: -2))),
      (.decimal, .decimal(.infinity(isNegative: true))),
      (.objectId, .objectId(Bytes12(high: 0x0102_0304_0506_0708, low: 0x090A_0B0C))),
      (.uuid, .uuid(Bytes16(high: .max, low: 1))),
    ] as [(ColumnType, TableValue)])
  func scalarsReadWhatTheyWrite(_ type: ColumnType, _ value: TableValue) throws {
    let text = try #require(ValueText.file.string(value))
    expectEqual(ValueText.file.value(text, of: type), value)
  }

  @Test(arguments: ["", "-", "+", ".", "e5", "-.e1", "1e", "1.2.3", "0x10", "1 "])
  func textsWithoutANumberAreNoDecimals(_ text: String) {
    expectEqual(ValueText.file.value(text, of: .decimal), nil)
    expectEqual(DecimalBits(digits: text), nil)
  }

  @Test func csvIsQuotedWhereItMustBe() {
    expectEqual(
      CSVText.line(["a", nil, "", "x,y", "\"q\"", "l\n"]), "a,,\"\",\"x,y\",\"\"\"q\"\"\",\"l\n\""
    )
  }

  @Test func objectsAreJSON() throws {
    let sample = try SampleRealm()
    let reader = try RealmReader(path: sample.path)
    let classes = try StoredSchema(reader.group)
    func lines(_ name: String) throws -> [String] {
      let schema = try classes.require(name)
      let output = try QueryOutput(schema, in: classes)
      let keys = try QueryRun(name, in: classes).keys()
      return try keys.compactMap { try output.object(of: $0) }.map { JSONWriter.text($0) }
    }
    try expectEqual(
      lines("Person"),
      [
        #"{"$key":0,"id":7,"name":"Ann, \"the\" boss","born":"1970-01-02T00:00:00.25Z","#
          + #""home":{"city":"Oslo"},"any":{"$uuid":"00000000-0000-0001-0000-000000000002"}}"#,
        #"{"$key":1,"id":8,"name":"Bob","born":null,"home":null,"#
          + #""any":{"$link":{"class":"Person","object":7}}}"#,
      ])
    try expectEqual(
      lines("Dog"),
      [
        #"{"$key":0,"name":"Rex","age":5,"weight":31.5,"owner":7,"tags":["big","line\nbreak"],"#
          + #""friends":[],"scores":{}}"#,
        #"{"$key":1,"name":"Fido","age":null,"weight":0.0,"owner":null,"tags":[],"#
          + #""friends":[{"$object":0},{"$object":1}],"scores":{"run":2}}"#,
      ])
  }
}
#endif
