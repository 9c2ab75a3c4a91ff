// SPDX-License-Identifier: Apache-2.0

// Files of mongoexport: values with their types.

#if Tools
import Foundation
import RealmFormats
import RealmQuery
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmTools

struct ExtendedJSONImportTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// Imports lines as objects of `A` into a new file: the plan, the bad rows and the objects.
  private func imported(
    _ lines: String, types: [String: ColumnType] = [:]
  ) throws -> (types: [String], bad: [String], objects: [String]) {
    let file = directory.file("input.json")
    try Data(lines.utf8).write(to: URL(fileURLWithPath: file))
    let source = try ImportSource(path: file, format: .json, className: "A")
    let plan = try ImportPlan(of: source, into: nil, types: types)
    let writer = try RealmWriter(path: directory.file("\(UUID()).realm"), creates: true)
    let report = try Importer(source, plan, Importer.Options()).run(writer)
    let texts = plan.classes[0].properties.map { "\($0.name): \($0.typeText)" }
    guard report.isComplete else { return (texts, report.badRows.map(\.description), []) }
    let classes = try StoredSchema(try writer.group())
    let output = try QueryOutput(try classes.require("A"), in: classes)
    let objects = try QueryRun("A", in: classes).keys()
      .compactMap { try output.object(of: $0) }.map { JSONWriter.text($0) }
    return (texts, [], objects)
  }

  /// A value of each type, canonical and relaxed, with the type and the value that it is here.
  private static let values: [(text: String, type: String, value: String)] = [
    (#"{"$oid":"5ca4bbc7a2dd94ee5816238c"}"#, "objectId", #""5ca4bbc7a2dd94ee5816238c""#),
    (#"{"$numberInt":"371138"}"#, "int", "371138"),
    (#"{"$numberLong":"9007199254740993"}"#, "int", "9007199254740993"),
    (#"{"$numberDouble":"1.5"}"#, "double", "1.5"),
    (#"{"$numberDouble":"-Infinity"}"#, "double", #""-inf""#),
    (#"{"$numberDecimal":"12.50"}"#, "decimal", #""12.50""#),
    (#"{"$date":{"$numberLong":"226117231000"}}"#, "date", #""1977-03-02T02:20:31Z""#),
    (#"{"$date":{"$numberLong":"-1500"}}"#, "date", #""1969-12-31T23:59:58.5Z""#),
    (#"{"$date":"1977-03-02T02:20:31Z"}"#, "date", #""1977-03-02T02:20:31Z""#),
    (#"{"$date":"1977-03-02T02:20:31.25+0100"}"#, "date", #""1977-03-02T01:20:31.25Z""#),
    (#"{"$date":226117231000}"#, "date", #""1977-03-02T02:20:31Z""#),
    (
      #"{"$uuid":"11111111-2222-3333-4444-555555555555"}"#, "uuid",
      #""11111111-2222-3333-4444-555555555555""#
    ),
    (
      #"{"$binary":{"base64":"ERERESIiMzNERFVVVVVVVQ==","subType":"04"}}"#, "uuid",
      #""11111111-2222-3333-4444-555555555555""#
    ),
    (#"{"$binary":{"base64":"AQI=","subType":"00"}}"#, "data", #""AQI=""#),
    (#"{"$binary":"AQI=","$type":"00"}"#, "data", #""AQI=""#),
    (#"{"$symbol":"red"}"#, "string", #""red""#),
    (#"[{"$numberInt":"1"},{"$numberLong":"2"}]"#, "list of int", "[1,2]"),
  ]

  @Test(arguments: values.indices) func valuesHaveTheirTypes(_ index: Int) throws {
    let (text, type, value) = Self.values[index]
    let result = try imported(#"{"v":\#(text)}"# + "\n")
    expectEqual(result.types, ["v: \(type)"])
    expectEqual(result.objects, [#"{"$key":0,"v":\#(value)}"#], "\(result.bad)")
    // In a value of any type, and inside of one.
    let other = try imported(#"{"v":\#(text)}"# + "\n" + #"{"v":{"a":[\#(text)]}}"# + "\n")
    expectEqual(other.types, ["v: mixed"])
    expectEqual(other.objects.count, 2, "\(other.bad)")
    let nested = other.objects.last ?? ""
    expectTrue(!nested.contains("$number"), "\(nested)")
    expectTrue(type.hasPrefix("list") || !nested.contains("{\"$binary"), "\(nested)")
  }

  /// The shapes of two collections as mongoexport writes them.
  @Test func collectionsOfMongoexportAreRead() throws {
    let first = try imported(
      #"{"_id":{"$oid":"5ca4bbc7a2dd94ee5816238c"},"n":{"$numberInt":"371138"},"#
        + #""big":{"$numberLong":"9007199254740993"},"d":{"$numberDouble":"1.5"}}"# + "\n")
    expectEqual(first.types, ["_id: objectId", "n: int", "big: int", "d: double"])
    expectEqual(
      first.objects,
      [#"{"$key":0,"_id":"5ca4bbc7a2dd94ee5816238c","n":371138,"big":9007199254740993,"d":1.5}"#])
    let second = try imported(
      #"{"_id":{"$oid":"5ca4bbcea2dd94ee58162a68"},"#
        + #""born":{"$date":{"$numberLong":"226117231000"}}}"#
        + "\n"
        + #"{"_id":{"$oid":"5ca4bbcea2dd94ee58162a69"},"born":{"$date":"1977-03-02T02:20:31Z"}}"#)
    expectEqual(second.types, ["_id: objectId", "born: date"])
    expectEqual(
      second.objects,
      ["8", "9"].enumerated().map {
        #"{"$key":\#($0),"_id":"5ca4bbcea2dd94ee58162a6\#($1)","born":"1977-03-02T02:20:31Z"}"#
      })
  }

  @Test func numbersOfSeveralTypesHaveOne() throws {
    let numbers = try imported(
      #"{"v":{"$numberInt":"1"}}"# + "\n" + #"{"v":{"$numberDouble":"2.5"}}"#)
    expectEqual(numbers.types, ["v: double"])
    let amounts = try imported(
      #"{"v":1}"# + "\n" + #"{"v":{"$numberDecimal":"2.50"}}"# + "\n" + #"{"v":null}"#)
    expectEqual(amounts.types, ["v: decimal?"])
    expectEqual(
      amounts.objects,
      [#"{"$key":0,"v":"1"}"#, #"{"$key":1,"v":"2.50"}"#, #"{"$key":2,"v":null}"#])
    let dates = try imported(
      #"{"v":{"$date":"2020-01-01T00:00:00Z"}}"# + "\n" + #"{"v":"2020-01-02T00:00:00Z"}"#)
    expectEqual(dates.types, ["v: date"])
    expectEqual(dates.objects.count, 2)
  }

  @Test func givenTypesTakeTypedValues() throws {
    let texts = try imported(
      #"{"v":{"$oid":"5ca4bbc7a2dd94ee5816238c"}}"#, types: ["v": .string])
    expectEqual(texts.objects, [#"{"$key":0,"v":"5ca4bbc7a2dd94ee5816238c"}"#])
    let number = try imported(#"{"v":{"$numberDouble":"2"}}"#, types: ["v": .int])
    expectEqual(number.objects, [#"{"$key":0,"v":2}"#])
    let none = try imported(#"{"v":{"$numberDouble":"2.5"}}"#, types: ["v": .int])
    expectEqual(none.bad, [#"line 1 (v): {"$numberDouble":"2.5"} is no int"#])
  }

  @Test(arguments: [
    #"{"$timestamp":{"t":1,"i":1}}"#, #"{"$regularExpression":{"pattern":"a","options":""}}"#,
    #"{"$minKey":1}"#, #"{"$maxKey":1}"#, #"{"$code":"x"}"#, #"{"$dbPointer":{}}"#,
    #"{"$oid":"5c"}"#, #"{"$numberInt":"1.5"}"#, #"{"$numberLong":1}"#,
    #"{"$numberDouble":"many"}"#, #"{"$numberDecimal":"1,5"}"#, #"{"$date":"yesterday"}"#,
    #"{"$date":{"$numberLong":"x"}}"#, #"{"$uuid":"1"}"#, #"{"$binary":{"base64":"AQI="}}"#,
  ])
  func othersAreBadRows(_ value: String) throws {
    let result = try imported(#"{"v":\#(value)}"# + "\n")
    expectEqual(result.bad.count, 1, "\(result.objects)")
    expectTrue(result.bad.first?.hasPrefix("line 1 (v): ") == true, "\(result.bad)")
  }

  /// Maps with such keys of our own stay maps, in exports too.
  @Test func mapsWithSuchKeysStayMaps() throws {
    for map in [#"{"$oid":"x"}"#, #"{"$binary":"AQI=","$type":"00"}"#, #"{"$a":1,"b":2,"c":3}"#] {
      let result = try imported(#"{"v":{"$map":\#(map)}}"# + "\n", types: ["v": .mixed])
      let wrapped = map.contains("\"c\"") ? map : #"{"$map":\#(map)}"#
      expectEqual(result.objects, [#"{"$key":0,"v":\#(wrapped)}"#], "\(result.bad)")
    }
  }
}
#endif
