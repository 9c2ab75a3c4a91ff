// SPDX-License-Identifier: Apache-2.0

// Every model class is found without registration, and two of one name are distinct.

import TestExtensions
import Testing

@testable import RealmSwift

private class ClassesPrivate: Object {}
private final class ClassesBelowModel: ClassesPrivate {}
private final class ClassesEmbedded: EmbeddedObject {}

private enum ClassesOuter {
  fileprivate final class ClassesNested: Object {}
  fileprivate final class ClassesTwice: Object {
    override static func shouldIncludeInDefaultSchema() -> Bool { false }
  }
}

private enum ClassesOther {
  fileprivate final class ClassesTwice: Object {
    override static func shouldIncludeInDefaultSchema() -> Bool { false }
  }
}

private final class ClassesShown: Object {
  override static func shouldIncludeInDefaultSchema() -> Bool { false }
  override static func _realmObjectName() -> String? { "ClassesShared" }
}

private final class ClassesShownToo: Object {
  override static func shouldIncludeInDefaultSchema() -> Bool { false }
  override static func _realmObjectName() -> String? { "ClassesShared" }
}

private final class ClassesLeftOut: Object {
  /// Looks for classes while the default schema is made, as the code of a program may.
  override static func shouldIncludeInDefaultSchema() -> Bool { ModelClasses.all.isEmpty }
}

// Never mentioned again, anywhere.
private final class ClassesNeverMentioned: Object {}
private final class ClassesGeneric<Value>: Object {}

struct ModelClassesTests {
  private func names(_ classes: [ObjectBase.Type]) -> [String] {
    classes.map { $0.className() }.filter { $0.hasPrefix("Classes") }.sorted()
  }

  @Test func findsEveryModelOfTheProgram() {
    final class ClassesLocal: Object {}
    let expected = [
      "ClassesBelowModel", "ClassesEmbedded", "ClassesLeftOut", "ClassesLocal", "ClassesNested",
      "ClassesNeverMentioned", "ClassesPrivate", "ClassesShared", "ClassesShared", "ClassesTwice",
      "ClassesTwice",
    ]
    expectEqual(names(ModelClasses.all), expected)
  }

  @Test func baseClassesAreNoModels() {
    #expect(!ModelClasses.all.contains { $0 == Object.self || $0 == EmbeddedObject.self })
  }

  /// `ModelClasses` 2.
  @Test func theDefaultSchemaLeavesOutWhatAsksForIt() {
    let expected = [
      "ClassesBelowModel", "ClassesEmbedded", "ClassesNested", "ClassesNeverMentioned",
      "ClassesPrivate",
    ]
    expectEqual(names(ModelClasses.defaultSchema()).filter { $0 != "ClassesLocal" }, expected)
  }

  @Test func twoClassesOfOneNameAreReportedWithBothQualifiedNames() throws {
    let twice: [ObjectBase.Type] = [ClassesOuter.ClassesTwice.self, ClassesOther.ClassesTwice.self]
    let text = try #require(ModelClasses.textOfDuplicate(in: twice))
    #expect(text.hasPrefix("Object type 'ClassesTwice' is declared more than once, as '"))
    expectTrue(text.contains("ClassesOuter"))
    expectTrue(text.contains("ClassesOther"))
    expectEqual(ModelClasses.textOfDuplicate(in: [ClassesLeftOut.self, ClassesPrivate.self]), nil)
    expectEqual(ModelClasses.textOfDuplicate(in: [ClassesLeftOut.self, ClassesLeftOut.self]), nil)
    // What is declared is meant.
    expectEqual(ModelClasses.textOfDuplicate(in: [ClassesShown.self, ClassesShownToo.self]), nil)
  }
}
