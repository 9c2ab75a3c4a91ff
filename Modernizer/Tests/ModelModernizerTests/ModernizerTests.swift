// SPDX-License-Identifier: Apache-2.0

// Models in the shapes that apps have, before and after.

import Testing

@testable import ModelModernizer

struct ModernizerTests {
  private func modernize(_ texts: String...) -> Modernizer.Outcome {
    Modernizer.modernize(
      texts.enumerated().map { Modernizer.File(path: "\($0).swift", text: $1) })
  }

  private func expect(_ old: String, becomes new: String, notes: [String] = []) {
    let outcome = modernize(old)
    #expect(outcome.changed.first?.text ?? old == new)
    #expect(outcome.notes.map { "\($0.line): \($0.text)" } == notes)
  }

  private func expectSame(_ text: String, notes: [String] = []) {
    let outcome = modernize(text)
    #expect(outcome.changed.isEmpty)
    #expect(outcome.diffs.isEmpty)
    #expect(outcome.notes.map { "\($0.line): \($0.text)" } == notes)
  }

  @Test func aModelWithItsMethods() {
    expect(
      """
      import RealmSwift

      // A dog.
      final class Dog: Object {
          @objc dynamic var id = UUID().uuidString  // its key
          @objc dynamic var name: String = ""
          @objc dynamic var born: Date? = nil
          @objc dynamic var owner: Person?
          @objc dynamic private(set) var age = 0
          @objc public dynamic var isGood: Bool = true
          let toys = List<Toy>()
          let tags = MutableSet<String>()
          let scores = Map<String, Int>()
          let weight = RealmOptional<Double>()
          let height = RealmProperty<Double?>()
          let friends = LinkingObjects(fromType: Dog.self, property: "friend")
          var isSelected = false

          /// The key.
          override static func primaryKey() -> String? {
              return "id"
          }

          override class func indexedProperties() -> [String] { ["name", "weight"] }

          override static func ignoredProperties() -> [String] {
              return ["isSelected"]
          }

          func bark() -> String { return "\\(name)!" }
      }

      """,
      becomes: """
        import RealmSwift

        // A dog.
        final class Dog: Object {
            @Persisted(primaryKey: true) var id = UUID().uuidString  // its key
            @Persisted(indexed: true) var name: String = ""
            @Persisted var born: Date? = nil
            @Persisted var owner: Person?
            @Persisted private(set) var age = 0
            @Persisted public var isGood: Bool = true
            @Persisted var toys: List<Toy>
            @Persisted var tags: MutableSet<String>
            @Persisted var scores: Map<String, Int>
            @Persisted(indexed: true) var weight: Double?
            @Persisted var height: Double?
            @Persisted(originProperty: "friend") var friends: LinkingObjects<Dog>
            var isSelected = false

            func bark() -> String { return "\\(name)!" }
        }

        """)
  }

  @Test func methodsInEveryForm() {
    expect(
      """
      class A: RealmSwift.Object {
        @objc dynamic var key = ""
        @objc dynamic var other = 0
        override public class func primaryKey() -> String { #keyPath(A.key) }
        override class func indexedProperties() -> [String] { return [#keyPath(other)] }
      }
      class B: Object {
        override class func primaryKey() -> String? { return nil }
        override class func indexedProperties() -> [String] { [] }
        @objc dynamic var key = ""
      }
      """,
      becomes: """
        class A: RealmSwift.Object {
          @Persisted(primaryKey: true) var key = ""
          @Persisted(indexed: true) var other = 0
        }
        class B: Object {
          @Persisted var key = ""
        }
        """)
  }

  @Test func oneDeclarationOfSeveralProperties() {
    expect(
      """
      class A: Object {
          @objc dynamic var a = 0, b = 1
          @objc public dynamic var c, d: String?
          override class func primaryKey() -> String? { "b" }
      }
      """,
      becomes: """
        class A: Object {
            @Persisted var a = 0
            @Persisted(primaryKey: true) var b = 1
            @Persisted public var c: String?
            @Persisted public var d: String?
        }
        """)
  }

  @Test func whatIsNotOfTheDatabaseStays() {
    expect(
      """
      @objcMembers class A: Object {
          dynamic var name = ""
          dynamic var shout: String { name.uppercased() }
          static let shared = List<A>()
          lazy var later = List<A>()
          weak var delegate: AnyObject?
          dynamic var watched = 1 { didSet { print(watched) } }
          let list: List<A> = .init()
          public var others = RealmSwift.List<A>()
          static func primaryKey(_ name: String) -> String { name }
          let built = List<A>(makeSomething())
          init(_ name: String) { self.name = name }
      }
      class View: UIView {
          @objc dynamic var title = ""
          let list = List<A>()
      }
      """,
      becomes: """
        @objcMembers class A: Object {
            @Persisted var name = ""
            dynamic var shout: String { name.uppercased() }
            static let shared = List<A>()
            lazy var later = List<A>()
            weak var delegate: AnyObject?
            @Persisted var watched = 1 { didSet { print(watched) } }
            @Persisted var list: List<A>
            @Persisted public var others: RealmSwift.List<A>
            static func primaryKey(_ name: String) -> String { name }
            let built = List<A>(makeSomething())
            init(_ name: String) { self.name = name }
        }
        class View: UIView {
            @objc dynamic var title = ""
            let list = List<A>()
        }
        """)
  }

  @Test func classesOfOtherFilesAndNestedOnes() {
    let outcome = modernize(
      "class Base: Object { @objc dynamic var id = 0 }",
      "class Child: Base { @objc dynamic var name = \"\" }",
      "enum Space { class Inner: EmbeddedObject { @objc dynamic var x = 1.5 } }",
      "class Other: Unknown { @objc dynamic var name = \"\" }")
    #expect(
      outcome.changed.map(\.text) == [
        "class Base: Object { @Persisted var id = 0 }",
        "class Child: Base { @Persisted var name = \"\" }",
        "enum Space { class Inner: EmbeddedObject { @Persisted var x = 1.5 } }",
      ])
    #expect(outcome.changed.map(\.path) == ["0.swift", "1.swift", "2.swift"])
  }

  @Test func enumerations() {
    expect(
      """
      @objc enum Size: Int, RealmEnum { case small, large }
      enum Kind: String { case one }
      extension Kind: RealmEnum {}
      """,
      becomes: """
        @objc enum Size: Int, PersistableEnum { case small, large }
        enum Kind: String { case one }
        extension Kind: PersistableEnum {}
        """)
  }

  @Test func branchesAndCommentsAreKept() {
    expect(
      """
      class A: Object {
          // MARK: - Properties
          #if DEBUG
          /* why */ @objc dynamic var a = 0
          #else
          @objc dynamic var a = 1
          #endif

          // MARK: - Realm
          // The key.
          override class func primaryKey() -> String? {
              // it is a
              return "a"
          }
      }
      """,
      becomes: """
        class A: Object {
            // MARK: - Properties
            #if DEBUG
            /* why */ @Persisted(primaryKey: true) var a = 0
            #else
            @Persisted(primaryKey: true) var a = 1
            #endif

            // MARK: - Realm
        }
        """)
  }

  // MARK: What a person has to see to

  @Test func aClassThatIsNotUnderstoodStays() {
    expectSame(
      """
      class A: Object {
          @objc dynamic var a = 0
          override class func primaryKey() -> String? { Keys.a }
      }
      """,
      notes: [
        "3: the names that 'primaryKey()' of 'A' returns are not written down in it: the class is "
          + "left as it is"
      ])
    expectSame(
      """
      class A: Object {
          @Persisted var a = 0
          @objc dynamic var b = 0
      }
      """,
      notes: [
        "2: 'A' has properties with @Persisted already, beside which others are not stored: it is "
          + "left as it is"
      ])
    expectSame(
      """
      class A: Object { @Persisted var a = 0 }
      class B: A { override class func primaryKey() -> String? { "a" } }
      """,
      notes: [
        "2: 'primaryKey()' of 'B' names no property of that class: see to the attribute in its "
          + "superclass"
      ])
    expectSame("class A: Object { @Persisted var a = 0 }")
    expectSame("class A: Object { var a = 0 }")
    expectSame("")
  }

  @Test func whatChangesElsewhereIsNoted() {
    let outcome = modernize(
      "class A: Object { let age = RealmOptional<Int>(3) }",
      """
      func f(_ a: A, _ other: Other) {
        a.age.value = 3
        print(other.height.value)
      }
      """)
    #expect(outcome.changed.map(\.text) == ["class A: Object { @Persisted var age: Int? = 3 }"])
    #expect(outcome.notes == [Note(file: "1.swift", line: 2, text: "'age.value' becomes 'age'")])
  }

  @Test func ignoredAndUnknownPropertiesAreNoted() {
    expect(
      """
      class A: Object {
          @objc dynamic var a = 0
          @objc dynamic var watched = 0
          @objc(other) dynamic var b = 0
          @objc dynamic var day = NSDate()
          @objc dynamic var time: NSDate?
          override class func ignoredProperties() -> [String] { ["watched"] }
          override class func primaryKey() -> String? { "b" }
      }
      """,
      becomes: """
        class A: Object {
            @Persisted var a = 0
            @objc dynamic var watched = 0
            @objc(other) dynamic var b = 0
            @Persisted var day = NSDate()
            @Persisted var time: NSDate?
            override class func primaryKey() -> String? { "b" }
        }
        """,
      notes: [
        "3: 'watched' is ignored and keeps '@objc', which compiles on Apple's systems alone",
        "4: a name for Objective-C is none of the database: left as it is",
        "6: '@Persisted' stores values of Swift, not 'NSDate?'",
        "8: 'primaryKey()' names 'b', which was not rewritten: see to its attribute, and remove "
          + "the method",
      ])
  }

  // MARK: Diffs

  @Test func theDiffShowsTheLinesAround() {
    let outcome = modernize(
      """
      import RealmSwift
      // 2
      // 3
      // 4
      class A: Object {
        @objc dynamic var a = 0
        // 7
        // 8
        // 9
        // 10
      }
      // 12
      // 13
      // 14
      class B: Object {
        @objc dynamic var b = 0
      }

      """)
    #expect(
      outcome.diffs == [
        """
        --- 0.swift
        +++ 0.swift
        @@ -3,7 +3,7 @@
         // 3
         // 4
         class A: Object {
        -  @objc dynamic var a = 0
        +  @Persisted var a = 0
           // 7
           // 8
           // 9
        @@ -13,6 +13,6 @@
         // 13
         // 14
         class B: Object {
        -  @objc dynamic var b = 0
        +  @Persisted var b = 0
         }
         

        """
      ])
  }

  @Test func aSecondRunChangesNothing() {
    let old = "class A: Object {\r\n\t@objc dynamic var a = 0\r\n\tlet b = List<A>()\r\n}\r\n"
    let new = modernize(old).changed.first?.text ?? ""
    #expect(
      new == "class A: Object {\r\n\t@Persisted var a = 0\r\n\t@Persisted var b: List<A>\r\n}\r\n")
    expectSame(new)
  }
}
