// SPDX-License-Identifier: Apache-2.0

// Random calls against a plain model: documents as dictionaries, conditions as closures.

#if Server
import RealmFormats
import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerServices

struct DocumentRunTests {
  /// What the model has of a document: small pools, so that values collide.
  private struct Item: Equatable {
    var id: Int
    var n: Int
    var m: Int?
    var s: String?
    var b: Bool
    var d: Double?
    var t: Int?
    var list: [Int]

    var json: String {
      var parts = [#""_id":\#(id)"#, #""n":\#(n)"#]
      if let m { parts.append(#""m":\#(m)"#) }
      if let s { parts.append(#""s":"\#(s)""#) }
      parts.append(#""b":\#(b)"#)
      if let d { parts.append(#""d":\#(d)"#) }
      if let t { parts.append(#""t":{"$date":{"$numberLong":"\#(t)"}}"#) }
      parts.append(#""list":\#(list)"#)
      return "{" + parts.joined(separator: ",") + "}"
    }

    init(id: Int, _ random: inout SeededGenerator) {
      self.id = id
      n = .random(in: -1...2, using: &random)
      m = random.chance(0.3) ? nil : .random(in: 0...2, using: &random)
      s = random.chance(0.3) ? nil : ["", "a", "b"].randomElement(using: &random)
      b = random.chance(0.5)
      d = random.chance(0.3) ? nil : [0, 0.5, 1, 2].randomElement(using: &random)
      t = random.chance(0.3) ? nil : [-1, 0, 1, 1_500].randomElement(using: &random)
      list = (0..<Int.random(in: 0...3, using: &random)).map { _ in
        Int.random(in: 0...2, using: &random)
      }
    }
  }

  private typealias Condition = (text: String, holds: (Item) -> Bool)

  /// A condition on a field with an order.
  private static func ordered<V: Comparable>(
    _ name: String, _ pool: [V], _ json: (V) -> String, _ value: @escaping (Item) -> V?,
    _ random: inout SeededGenerator
  ) -> Condition {
    let bound = pool.randomElement(using: &random) ?? pool[0]
    let other = pool.randomElement(using: &random) ?? pool[0]
    let (text, second) = (json(bound), json(other))
    switch Int.random(in: 0...10, using: &random) {
    case 0: return (#"{"\#(name)":\#(text)}"#, { value($0) == bound })
    case 1: return (#"{"\#(name)":{"$ne":\#(text)}}"#, { value($0) != bound })
    case 2: return (#"{"\#(name)":{"$gt":\#(text)}}"#, { value($0).map { $0 > bound } ?? false })
    case 3: return (#"{"\#(name)":{"$gte":\#(text)}}"#, { value($0).map { $0 >= bound } ?? false })
    case 4: return (#"{"\#(name)":{"$lt":\#(text)}}"#, { value($0).map { $0 < bound } ?? false })
    case 5: return (#"{"\#(name)":{"$lte":\#(text)}}"#, { value($0).map { $0 <= bound } ?? false })
    case 6:
      return (
        #"{"\#(name)":{"$in":[\#(text),\#(second)]}}"#, { value($0) == bound || value($0) == other }
      )
    case 7:
      return (
        #"{"\#(name)":{"$nin":[\#(text),null]}}"#, { value($0) != nil && value($0) != bound }
      )
    case 8: return (#"{"\#(name)":null}"#, { value($0) == nil })
    case 9: return (#"{"\#(name)":{"$exists":false}}"#, { value($0) == nil })
    default:
      return (
        #"{"\#(name)":{"$not":{"$gt":\#(text)}}}"#, { !(value($0).map { $0 > bound } ?? false) }
      )
    }
  }

  private static func condition(_ depth: Int, _ random: inout SeededGenerator) -> Condition {
    switch Int.random(in: 0...(depth > 0 ? 9 : 6), using: &random) {
    case 0: return ordered("_id", Array(0...9), { "\($0)" }, { $0.id }, &random)
    case 1: return ordered("n", Array(-1...2), { "\($0)" }, { $0.n }, &random)
    case 2: return ordered("m", Array(0...2), { #"{"$numberDouble":"\#($0)"}"# }, { $0.m }, &random)
    case 3: return ordered("s", ["", "a", "b"], { "\"\($0)\"" }, { $0.s }, &random)
    case 4: return ordered("d", [0, 0.5, 1, 2], { "\($0)" }, { $0.d }, &random)
    case 5:
      return ordered(
        "t", [-1, 0, 1, 1_500], { #"{"$date":{"$numberLong":"\#($0)"}}"# }, { $0.t }, &random)
    case 6:
      let wanted = Int.random(in: 0...2, using: &random)
      return random.chance(0.5)
        ? (#"{"list":\#(wanted)}"#, { $0.list.contains(wanted) })
        : (#"{"list":{"$size":\#(wanted)}}"#, { $0.list.count == wanted })
    case 7:
      let (first, second) = (condition(depth - 1, &random), condition(depth - 1, &random))
      return (
        #"{"$and":[\#(first.text),\#(second.text)]}"#, { first.holds($0) && second.holds($0) }
      )
    case 8:
      let (first, second) = (condition(depth - 1, &random), condition(depth - 1, &random))
      return (
        #"{"$or":[\#(first.text),\#(second.text)]}"#, { first.holds($0) || second.holds($0) }
      )
    default:
      let part = condition(depth - 1, &random)
      return (#"{"$nor":[\#(part.text)]}"#, { !part.holds($0) })
    }
  }

  /// An update, and what it does.
  private static func update(
    _ random: inout SeededGenerator
  ) -> (text: String, apply: (inout Item) -> Void) {
    let value = Int.random(in: -1...2, using: &random)
    switch Int.random(in: 0...9, using: &random) {
    case 0: return (#"{"$set":{"n":\#(value)}}"#, { $0.n = value })
    case 1: return (#"{"$inc":{"n":\#(value)}}"#, { $0.n += value })
    case 2: return (#"{"$inc":{"m":\#(value)}}"#, { $0.m = ($0.m ?? 0) + value })
    case 3: return (#"{"$unset":{"m":"","s":""}}"#, { ($0.m, $0.s) = (nil, nil) })
    case 4: return (#"{"$push":{"list":\#(value)}}"#, { $0.list.append(value) })
    case 5: return (#"{"$pull":{"list":\#(value)}}"#, { $0.list.removeAll { $0 == value } })
    case 6:
      return (
        #"{"$push":{"list":{"$each":[7,\#(value)],"$position":1,"$slice":4}}}"#,
        { item in
          item.list.insert(contentsOf: [7, value], at: min(1, item.list.count))
          item.list = Array(item.list.prefix(4))
        }
      )
    case 7:
      return (
        #"{"$max":{"n":\#(value)},"$min":{"d":1.0}}"#,
        {
          $0.n = max($0.n, value)
          $0.d = min($0.d ?? 1, 1)
        }
      )
    case 8:
      return (
        #"{"$pop":{"list":-1},"$set":{"b":true}}"#,
        {
          if !$0.list.isEmpty { $0.list.removeFirst() }
          $0.b = true
        }
      )
    default:
      return (
        #"{"$addToSet":{"list":\#(value)},"$mul":{"n":2}}"#,
        {
          if !$0.list.contains(value) { $0.list.append(value) }
          $0.n *= 2
        }
      )
    }
  }

  private static func ids(_ value: BSONValue) -> [Int] {
    (value.values ?? []).compactMap { $0["_id"]?.wholeNumber.map { Int($0) } }.sorted()
  }

  /// `DocumentQuery+Plan` 1, `DocumentEdit` 1
  @Test(arguments: RandomRuns.seeds(4)) func callsDoWhatAModelDoes(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let bench = try DocumentBench(seed: seed)
    var model: [Int: Item] = [:]
    for step in 0..<150 {
      let condition = Self.condition(2, &random)
      let matching = model.values.filter(condition.holds).map(\.id).sorted()
      let place = Comment("seed \(seed), step \(step): \(condition.text)")
      switch Int.random(in: 0...9, using: &random) {
      case 0...2:
        let id = Int.random(in: 0...9, using: &random)
        let item = Item(id: id, &random)
        let answer = await bench.refusal("insertOne", "\"document\":\(item.json)")
        expectTrue(answer.hasPrefix(model[id] == nil ? "result" : "MongoDBError: E11000"), place)
        if model[id] == nil { model[id] = item }
      case 3:
        if random.chance(0.7) { continue }
        let result = try await bench.call("deleteMany", "\"query\":\(condition.text)")
        expectEqual(result["deletedCount"], .int32(Int32(matching.count)), place)
        for id in matching { model[id] = nil }
      case 4, 5:
        let update = Self.update(&random)
        let result = try await bench.call(
          "updateMany", "\"query\":\(condition.text),\"update\":\(update.text)")
        var modified = 0
        for id in matching {
          guard var item = model[id] else { continue }
          update.apply(&item)
          if item != model[id] { modified += 1 }
          model[id] = item
        }
        expectEqual(result["matchedCount"], .int32(Int32(matching.count)), place)
        expectEqual(result["modifiedCount"], .int32(Int32(modified)), place)
      default:
        let found = try await bench.call("find", "\"query\":\(condition.text)")
        expectEqual(Self.ids(found), matching, place)
        let count = try await bench.call("count", "\"query\":\(condition.text)")
        expectEqual(count, .int64(Int64(matching.count)), place)
        for document in found.values ?? [] {
          let id = Int(document["_id"]?.wholeNumber ?? -1)
          let expected = try ExtendedJSONReader.parse(model[id]?.json ?? "null")
          let readable = document.elements?.filter { $0.key != "f" && $0.key != "set" } ?? []
          let whole = BSONValue.document(
            readable.filter { !["map", "places", "owners"].contains($0.key) })
          expectTrue(BSONOrder.areEqual(whole, expected), place)
        }
      }
    }
  }
}
#endif
