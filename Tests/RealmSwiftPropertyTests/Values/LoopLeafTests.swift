// SPDX-License-Identifier: Apache-2.0

// Reads that take a value from the leaf that the reads before opened, against a model.

import Foundation
import RealmStorage
import RealmSwiftTestSupport
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

private enum Shade: Int, PersistableEnum, CaseIterable {
  case none, light, dark
}

/// One property of each type whose leaves are opened.
private final class Sample: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var int: Int
  @Persisted var small: Int8
  @Persisted var optionalInt: Int?
  @Persisted var flag: Bool
  @Persisted var optionalFlag: Bool?
  @Persisted var double: Double
  @Persisted var optionalDouble: Double?
  @Persisted var float: Float
  @Persisted var optionalFloat: Float?
  @Persisted var text: String
  @Persisted var optionalText: String?
  @Persisted var shade: Shade
  @Persisted var optionalShade: Shade?

  override class func shouldIncludeInDefaultSchema() -> Bool { false }

  var values: SampleValues {
    get {
      SampleValues(
        int: int, small: small, optionalInt: optionalInt, flag: flag, optionalFlag: optionalFlag,
        double: double, optionalDouble: optionalDouble, float: float, optionalFloat: optionalFloat,
        text: text, optionalText: optionalText, shade: shade, optionalShade: optionalShade)
    }
    set {
      (int, small, optionalInt) = (newValue.int, newValue.small, newValue.optionalInt)
      (flag, optionalFlag) = (newValue.flag, newValue.optionalFlag)
      (double, optionalDouble) = (newValue.double, newValue.optionalDouble)
      (float, optionalFloat) = (newValue.float, newValue.optionalFloat)
      (text, optionalText) = (newValue.text, newValue.optionalText)
      (shade, optionalShade) = (newValue.shade, newValue.optionalShade)
    }
  }
}

/// What the properties of a `Sample` hold.
private struct SampleValues: Equatable, Sendable {
  var int = 0
  var small: Int8 = 0
  var optionalInt: Int?
  var flag = false
  var optionalFlag: Bool?
  var double = 0.0
  var optionalDouble: Double?
  var float: Float = 0
  var optionalFloat: Float?
  var text = ""
  var optionalText: String?
  var shade = Shade.none
  var optionalShade: Shade?

  // Values of every width of a leaf of integers, and of every form of a leaf of strings.
  private static let ints = [0, 1, 3, 15, -1, 127, 128, -40_000, 1 << 40]
  private static let texts = ["", "a", "of 15 bytes only", "of 16 bytes here", "ä"]
  private static let long = [String(repeating: "l", count: 63), String(repeating: "x", count: 64)]

  /// - Parameter isLong: Whether strings may be of those that change the form of a leaf.
  static func random(_ isLong: Bool, _ generator: inout SeededGenerator) -> SampleValues {
    var values = SampleValues()
    let texts = isLong ? Self.texts + long : Self.texts
    values.int = ints.randomElement(using: &generator) ?? 0
    values.small = [0, 1, -128].randomElement(using: &generator) ?? 0
    values.optionalInt = generator.chance(0.3) ? nil : ints.randomElement(using: &generator)
    values.flag = generator.chance(0.5)
    values.optionalFlag = generator.chance(0.3) ? nil : generator.chance(0.5)
    values.double = [0, -0.5, 1e300].randomElement(using: &generator) ?? 0
    values.optionalDouble = [nil, 0, 2.5].randomElement(using: &generator) ?? nil
    values.float = [0, -0.5, 1e30].randomElement(using: &generator) ?? 0
    values.optionalFloat = [nil, 0, 2.5].randomElement(using: &generator) ?? nil
    values.text = texts.randomElement(using: &generator) ?? ""
    values.optionalText = generator.chance(0.3) ? nil : texts.randomElement(using: &generator)
    values.shade = Shade.allCases.randomElement(using: &generator) ?? .none
    values.optionalShade = generator.chance(0.3) ? nil : values.shade
    return values
  }
}

/// `LoopLeaf` 1, `ClassHot` 2 and 3.
struct LoopLeafTests {
  private typealias Model = [Int: SampleValues]

  private let realm: Realm
  /// Where another part of the program writes.
  private let queue = DispatchQueue(label: "elsewhere")
  /// Few objects around the border of two clusters, and at their ends, are changed.
  private static let changed = Array(0..<4) + Array(250..<270)

  init() throws {
    realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [Sample.self]))
  }

  private func filled(_ generator: inout SeededGenerator) throws -> Model {
    var model = Model()
    try realm.write {
      for id in 0..<512 {
        let values = SampleValues.random(false, &generator)
        model[id] = values
        realm.create(Sample.self, value: ["id": id]).values = values
      }
    }
    return model
  }

  /// Reads some objects in no order, each property twice, and now and then all of them in a loop.
  ///
  /// The objects come before the loop: a cluster of them may lie where that of the last loop was.
  private func check(
    _ samples: Results<Sample>, _ kept: [Sample], _ model: Model, _ comment: Comment,
    _ generator: inout SeededGenerator
  ) {
    for _ in 0..<20 {
      guard let sample = kept.randomElement(using: &generator), !sample.isInvalidated else {
        continue
      }
      let values = model[sample.id]
      let first = sample.values
      let second = sample.values
      if first != values || second != values {
        Issue.record("\(comment), of \(sample.id): \(first), \(second), \(values as Any)")
      }
    }
    guard generator.chance(0.2) else { return }
    var count = 0
    for sample in samples {
      count += 1
      if sample.values != model[sample.id] {
        Issue.record("\(comment): \(sample.values) in place of \(model[sample.id] as Any)")
      }
    }
    expectEqual(count, model.count)
  }

  /// Changes objects of the pool; within the transaction others are read between the changes.
  private static func change(
    _ realm: Realm, _ model: inout Model, _ isLong: Bool, _ generator: inout SeededGenerator
  ) {
    for _ in 0..<Int.random(in: 1...6, using: &generator) {
      let id = changed.randomElement(using: &generator) ?? 0
      guard let sample = realm.object(ofType: Sample.self, forPrimaryKey: id) else {
        let values = SampleValues.random(isLong, &generator)
        realm.create(Sample.self, value: ["id": id]).values = values
        model[id] = values
        continue
      }
      expectEqual(sample.values, model[id])
      if generator.chance(0.1) {
        realm.delete(sample)
        model[id] = nil
        continue
      }
      var values = SampleValues.random(isLong, &generator)
      if generator.chance(0.5) {
        // One property alone: the others stay in the leaves where they are.
        var one = model[id] ?? values
        (one.int, one.text) = (values.int, values.text)
        values = one
        (sample.int, sample.text) = (values.int, values.text)
      } else {
        sample.values = values
      }
      model[id] = values
      expectEqual(sample.values, values)
      expectEqual(sample.values, values)
    }
  }

  /// Changes of one size: a cluster may lie where another one was two versions ago.
  private func toggle(
    _ kept: [Sample], _ model: inout Model, _ generator: inout SeededGenerator
  ) throws {
    for _ in 0..<12 {
      guard let sample = kept.randomElement(using: &generator), !sample.isInvalidated else {
        continue
      }
      try realm.write { sample.flag.toggle() }
      model[sample.id]?.flag.toggle()
      expectEqual(sample.values, model[sample.id])
    }
  }

  @Test(arguments: 0..<3)
  func readsAgreeWithAModel(_ seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    var model = try filled(&generator)
    let samples = realm.objects(Sample.self)
    var frozen: [(Results<Sample>, Model)] = []
    var kept: [Sample] = []
    for step in 0..<60 {
      if step % 10 == 0 { kept = Array(samples) }
      // The forms of leaves only grow, so long strings come late.
      let isLong = step > 20
      check(samples, kept, model, "step \(step)", &generator)
      switch Int.random(in: 0..<5, using: &generator) {
      case 0:
        for _ in 0..<6 {
          try realm.write { Self.change(realm, &model, isLong, &generator) }
        }
      case 1:
        var given = model
        realm.beginWrite()
        Self.change(realm, &given, isLong, &generator)
        check(samples, kept, given, "step \(step), in a transaction", &generator)
        realm.cancelWrite()
      case 2:
        let configuration = realm.configuration
        try queue.sync {
          let realm = try Realm(configuration: configuration, queue: queue)
          try realm.write { Self.change(realm, &model, isLong, &generator) }
        }
        realm.refresh()
      case 3: try toggle(kept, &model, &generator)
      default:
        // One at most, so that the space of older versions is used again.
        frozen = generator.chance(0.5) ? [(samples.freeze(), model)] : []
      }
      check(samples, kept, model, "after step \(step)", &generator)
    }
    for (samples, model) in frozen {
      check(samples, Array(samples), model, "frozen", &generator)
    }
  }

  /// `ClassHot` 2: a cluster of a later version may lie where that of a loop was.
  @Test func theLeavesOfALoopAreThoseOfItsVersion() throws {
    var generator = SeededGenerator(seed: 1)
    _ = try filled(&generator)
    let samples = realm.objects(Sample.self)
    let (first, last) = (samples[0], samples[511])
    for sample in samples { expectTrue(sample.int != 77 && sample.text != "changed") }
    try realm.write { (first.int, first.text, last.int) = (77, "changed", 78) }
    expectEqual(last.int, 78)
    let info = try #require(first._info)
    let address = try #require(info.present(first._key)).cluster.address
    unsafe info.hot.pointee.loopCluster = address
    expectEqual(first.int, 77)
    expectEqual(first.text, "changed")
  }
}
