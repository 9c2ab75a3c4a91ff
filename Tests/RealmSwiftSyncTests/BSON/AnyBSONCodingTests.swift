// SPDX-License-Identifier: Apache-2.0

// Values of BSON in JSON.

#if Sync
import Foundation
import RealmSwift
import TestExtensions
import Testing

struct AnyBSONCodingTests {
  private struct Note: Codable, Equatable {
    var any: AnyBSON
    var document: Document
  }

  @Test(arguments: [
    (AnyBSON.null, "null"), (.bool(true), "true"), (.string("a"), #""a""#),
    (.double(0.5), #"{"$numberDouble":"0.5"}"#), (.int32(7), #"{"$numberInt":"7"}"#),
    (.array([.string("x"), nil]), #"["x",null]"#),
    (.document(["k": .bool(false)]), #"{"k":false}"#),
  ])
  func valuesAreExtendedJSON(_ value: AnyBSON, _ text: String) throws {
    expectEqual(String(decoding: try JSONEncoder().encode([value]), as: UTF8.self), "[\(text)]")
    try expectEqual(JSONDecoder().decode([AnyBSON].self, from: Data("[\(text)]".utf8)), [value])
  }

  @Test func everyKindComesBack() throws {
    let values: [AnyBSON] = [
      .int32(-7), .int64(1 << 40), .double(.infinity), .decimal128(Decimal128(number: 1.5)),
      .datetime(Date(timeIntervalSince1970: 1_700_000_000)), .binary(Data([1, 2, 255])),
      .uuid(UUID()), .objectId(ObjectId.generate()), .minKey, .maxKey,
      .timestamp(Date(timeIntervalSince1970: 5)),
    ]
    let note = Note(any: .array(values), document: ["a": .array(values), "none": nil])
    try expectEqual(JSONDecoder().decode(Note.self, from: JSONEncoder().encode(note)), note)
  }

  @Test func badExtendedJSONIsAnError() {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(AnyBSON.self, from: Data(#"{"$oid":"xyz"}"#.utf8))
    }
  }
}
#endif
