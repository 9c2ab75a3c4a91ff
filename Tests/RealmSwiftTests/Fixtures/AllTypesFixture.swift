// SPDX-License-Identifier: Apache-2.0

// The classes of files that Realm Core wrote, as a program would declare them.

import Foundation
import RealmSwift

/// The classes of `all-types.realm`.
enum AllTypesFixture {
  final class Address: EmbeddedObject, FixturePart {
    @Persisted var street: String
    @Persisted var zip: Int?
    @Persisted var geo: GeoPoint?
    @Persisted var country: StringPk?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    static var paths: [PartialKeyPath<Address>] {
      [
        \.street, \.zip, \.geo, \.country,
      ]
    }
  }

  final class AllTypes: Object, FixtureObject {
    @Persisted(primaryKey: true) var pk: Int
    @Persisted var reqBool: Bool
    @Persisted var reqInt: Int
    @Persisted var reqFloat: Float
    @Persisted var reqDouble: Double
    @Persisted var reqString: String
    @Persisted var reqData: Data
    @Persisted var reqDate: Date
    @Persisted var reqObjectId: ObjectId
    @Persisted var reqDecimal: Decimal128
    @Persisted var reqUuid: UUID
    @Persisted var optBool: Bool?
    @Persisted var optInt: Int?
    @Persisted var optFloat: Float?
    @Persisted var optDouble: Double?
    @Persisted var optString: String?
    @Persisted var optData: Data?
    @Persisted var optDate: Date?
    @Persisted var optObjectId: ObjectId?
    @Persisted var optDecimal: Decimal128?
    @Persisted var optUuid: UUID?
    @Persisted var any: AnyRealmValue
    @Persisted var link: AllTypes?
    @Persisted var linkNoKey: NoKey?
    @Persisted(indexed: true) var indexedInt: Int
    @Persisted(indexed: true) var indexedString: String
    @Persisted(originProperty: "link") var linkedFrom: LinkingObjects<AllTypes>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    static var paths: [PartialKeyPath<AllTypes>] {
      [
        \.pk, \.reqBool, \.reqInt, \.reqFloat, \.reqDouble, \.reqString, \.reqData, \.reqDate,
        \.reqObjectId, \.reqDecimal, \.reqUuid, \.optBool, \.optInt, \.optFloat, \.optDouble,
        \.optString, \.optData, \.optDate, \.optObjectId, \.optDecimal, \.optUuid, \.any, \.link,
        \.linkNoKey, \.indexedInt, \.indexedString,
      ]
    }

    static var backlinks: [(String, String, PartialKeyPath<AllTypes>)] {
      [("class_AllTypes", "link", \.linkedFrom)]
    }
  }

  final class Article: Object, FixtureObject {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var title: String
    @Persisted(indexed: .fullText) var body: String
    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    static var paths: [PartialKeyPath<Article>] {
      [
        \.id, \.title, \.body,
      ]
    }
  }

  final class Big: Object, FixtureObject {
    @Persisted(primaryKey: true) var name: String
    @Persisted var ints: List<Int>
    @Persisted var strings: List<String>
    @Persisted var links: List<NoKey>
    @Persisted var intSet: MutableSet<Int>
    @Persisted var stringSet: MutableSet<String>
    @Persisted var dict: Map<String, Int>
    @Persisted var anyDict: Map<String, AnyRealmValue>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    static var paths: [PartialKeyPath<Big>] {
      [
        \.name, \.ints, \.strings, \.links, \.intSet, \.stringSet, \.dict, \.anyDict,
      ]
    }
  }

  final class Collections: Object, FixtureObject {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var listBool: List<Bool>
    @Persisted var listInt: List<Int>
    @Persisted var listFloat: List<Float>
    @Persisted var listDouble: List<Double>
    @Persisted var listString: List<String>
    @Persisted var listData: List<Data>
    @Persisted var listDate: List<Date>
    @Persisted var listObjectId: List<ObjectId>
    @Persisted var listDecimal: List<Decimal128>
    @Persisted var listUuid: List<UUID>
    @Persisted var listOptBool: List<Bool?>
    @Persisted var listOptInt: List<Int?>
    @Persisted var listOptFloat: List<Float?>
    @Persisted var listOptDouble: List<Double?>
    @Persisted var listOptString: List<String?>
    @Persisted var listOptData: List<Data?>
    @Persisted var listOptDate: List<Date?>
    @Persisted var listOptObjectId: List<ObjectId?>
    @Persisted var listOptDecimal: List<Decimal128?>
    @Persisted var listOptUuid: List<UUID?>
    @Persisted var listAny: List<AnyRealmValue>
    @Persisted var listLink: List<NoKey>
    @Persisted var setBool: MutableSet<Bool>
    @Persisted var setInt: MutableSet<Int>
    @Persisted var setFloat: MutableSet<Float>
    @Persisted var setDouble: MutableSet<Double>
    @Persisted var setString: MutableSet<String>
    @Persisted var setData: MutableSet<Data>
    @Persisted var setDate: MutableSet<Date>
    @Persisted var setObjectId: MutableSet<ObjectId>
    @Persisted var setDecimal: MutableSet<Decimal128>
    @Persisted var setUuid: MutableSet<UUID>
    @Persisted var setOptBool: MutableSet<Bool?>
    @Persisted var setOptInt: MutableSet<Int?>
    @Persisted var setOptFloat: MutableSet<Float?>
    @Persisted var setOptDouble: MutableSet<Double?>
    @Persisted var setOptString: MutableSet<String?>
    @Persisted var setOptData: MutableSet<Data?>
    @Persisted var setOptDate: MutableSet<Date?>
    @Persisted var setOptObjectId: MutableSet<ObjectId?>
    @Persisted var setOptDecimal: MutableSet<Decimal128?>
    @Persisted var setOptUuid: MutableSet<UUID?>
    @Persisted var setAny: MutableSet<AnyRealmValue>
    @Persisted var setLink: MutableSet<NoKey>
    @Persisted var dictBool: Map<String, Bool>
    @Persisted var dictInt: Map<String, Int>
    @Persisted var dictFloat: Map<String, Float>
    @Persisted var dictDouble: Map<String, Double>
    @Persisted var dictString: Map<String, String>
    @Persisted var dictData: Map<String, Data>
    @Persisted var dictDate: Map<String, Date>
    @Persisted var dictObjectId: Map<String, ObjectId>
    @Persisted var dictDecimal: Map<String, Decimal128>
    @Persisted var dictUuid: Map<String, UUID>
    @Persisted var dictOptBool: Map<String, Bool?>
    @Persisted var dictOptInt: Map<String, Int?>
    @Persisted var dictOptFloat: Map<String, Float?>
    @Persisted var dictOptDouble: Map<String, Double?>
    @Persisted var dictOptString: Map<String, String?>
    @Persisted var dictOptData: Map<String, Data?>
    @Persisted var dictOptDate: Map<String, Date?>
    @Persisted var dictOptObjectId: Map<String, ObjectId?>
    @Persisted var dictOptDecimal: Map<String, Decimal128?>
    @Persisted var dictOptUuid: Map<String, UUID?>
    @Persisted var dictAny: Map<String, AnyRealmValue>
    @Persisted var dictLink: Map<String, NoKey?>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    static var paths: [PartialKeyPath<Collections>] {
      [
        \._id, \.listBool, \.listInt, \.listFloat, \.listDouble, \.listString, \.listData,
        \.listDate, \.listObjectId, \.listDecimal, \.listUuid, \.listOptBool, \.listOptInt,
        \.listOptFloat, \.listOptDouble, \.listOptString, \.listOptData, \.listOptDate,
        \.listOptObjectId, \.listOptDecimal, \.listOptUuid, \.listAny, \.listLink, \.setBool,
        \.setInt, \.setFloat, \.setDouble, \.setString, \.setData, \.setDate, \.setObjectId,
        \.setDecimal, \.setUuid, \.setOptBool, \.setOptInt, \.setOptFloat, \.setOptDouble,
        \.setOptString, \.setOptData, \.setOptDate, \.setOptObjectId, \.setOptDecimal,
        \.setOptUuid, \.setAny, \.setLink, \.dictBool, \.dictInt, \.dictFloat, \.dictDouble,
        \.dictString, \.dictData, \.dictDate, \.dictObjectId, \.dictDecimal, \.dictUuid,
        \.dictOptBool, \.dictOptInt, \.dictOptFloat, \.dictOptDouble, \.dictOptString,
        \.dictOptData, \.dictOptDate, \.dictOptObjectId, \.dictOptDecimal, \.dictOptUuid,
        \.dictAny, \.dictLink,
      ]
    }
  }

  final class GeoPoint: EmbeddedObject, FixturePart {
    @Persisted var lat: Double
    @Persisted var lon: Double
    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    static var paths: [PartialKeyPath<GeoPoint>] {
      [
        \.lat, \.lon,
      ]
    }
  }

  final class IntWidths: Object, FixtureObject {
    @Persisted(primaryKey: true) var pk: Int
    @Persisted var w0: Int
    @Persisted var w1: Int
    @Persisted var w2: Int
    @Persisted var w4: Int
    @Persisted var w8: Int
    @Persisted var w16: Int
    @Persisted var w32: Int
    @Persisted var w64: Int
    @Persisted var neg8: Int
    @Persisted var neg16: Int
    @Persisted var neg32: Int
    @Persisted var neg64: Int
    @Persisted var optSmall: Int?
    @Persisted var optEdge: Int?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    static var paths: [PartialKeyPath<IntWidths>] {
      [
        \.pk, \.w0, \.w1, \.w2, \.w4, \.w8, \.w16, \.w32, \.w64, \.neg8, \.neg16, \.neg32,
        \.neg64, \.optSmall, \.optEdge,
      ]
    }
  }

  final class NoKey: Object, FixtureObject {
    @Persisted var value: Int
    @Persisted var label: String?
    @Persisted(originProperty: "links") var bigs: LinkingObjects<Big>
    @Persisted(originProperty: "setLink") var sets: LinkingObjects<Collections>
    @Persisted(originProperty: "dictLink") var maps: LinkingObjects<Collections>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    static var paths: [PartialKeyPath<NoKey>] {
      [
        \.value, \.label,
      ]
    }

    static var backlinks: [(String, String, PartialKeyPath<NoKey>)] {
      [
        ("class_Big", "links", \.bigs), ("class_Collections", "setLink", \.sets),
        ("class_Collections", "dictLink", \.maps),
      ]
    }
  }

  final class OptIntPk: Object, FixtureObject {
    @Persisted(primaryKey: true) var id: Int?
    @Persisted var n: Int
    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    static var paths: [PartialKeyPath<OptIntPk>] {
      [
        \.id, \.n,
      ]
    }
  }

  final class OptStringPk: Object, FixtureObject {
    @Persisted(primaryKey: true) var id: String?
    @Persisted var n: Int
    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    static var paths: [PartialKeyPath<OptStringPk>] {
      [
        \.id, \.n,
      ]
    }
  }

  final class Person: Object, FixtureObject {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var home: Address?
    @Persisted var others: List<Address>
    @Persisted var labelled: Map<String, Address?>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    static var paths: [PartialKeyPath<Person>] {
      [
        \.id, \.name, \.home, \.others, \.labelled,
      ]
    }
  }

  final class StringPk: Object, FixtureObject {
    @Persisted(primaryKey: true) var id: String
    @Persisted var next: StringPk?
    @Persisted var note: String?
    @Persisted(originProperty: "next") var previous: LinkingObjects<StringPk>
    @Persisted(originProperty: "country") var addresses: LinkingObjects<Address>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    static var paths: [PartialKeyPath<StringPk>] {
      [
        \.id, \.next, \.note,
      ]
    }

    static var backlinks: [(String, String, PartialKeyPath<StringPk>)] {
      [("class_StringPk", "next", \.previous), ("class_Address", "country", \.addresses)]
    }
  }

  final class Strings: Object, FixtureObject {
    @Persisted(primaryKey: true) var pk: Int
    @Persisted var allEmpty: String
    @Persisted var allNull: String?
    @Persisted var tiny: String
    @Persisted var short15: String
    @Persisted var short31: String
    @Persisted var short63: String
    @Persisted var optShort: String?
    @Persisted var medium: String
    @Persisted var optMedium: String?
    @Persisted var big: String
    @Persisted var optBig: String?
    @Persisted var smallData: Data
    @Persisted var optSmallData: Data?
    @Persisted var bigData: Data
    @Persisted var optBigData: Data?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    static var paths: [PartialKeyPath<Strings>] {
      [
        \.pk, \.allEmpty, \.allNull, \.tiny, \.short15, \.short31, \.short63, \.optShort,
        \.medium, \.optMedium, \.big, \.optBig, \.smallData, \.optSmallData, \.bigData,
        \.optBigData,
      ]
    }
  }

  final class UuidPk: Object, FixtureObject {
    @Persisted(primaryKey: true) var id: UUID
    @Persisted(indexed: true) var boolIx: Bool
    @Persisted(indexed: true) var intIx: Int
    @Persisted(indexed: true) var optIntIx: Int?
    @Persisted(indexed: true) var stringIx: String
    @Persisted(indexed: true) var optStringIx: String?
    @Persisted(indexed: true) var dateIx: Date
    @Persisted(indexed: true) var optDateIx: Date?
    @Persisted(indexed: true) var objectIdIx: ObjectId
    @Persisted(indexed: true) var optObjectIdIx: ObjectId?
    @Persisted(indexed: true) var uuidIx: UUID
    @Persisted(indexed: true) var optUuidIx: UUID?
    @Persisted(indexed: true) var anyIx: AnyRealmValue
    @Persisted(indexed: true) var manyDuplicatesIx: Int
    @Persisted(indexed: true) var longPrefixIx: String
    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    static var paths: [PartialKeyPath<UuidPk>] {
      [
        \.id, \.boolIx, \.intIx, \.optIntIx, \.stringIx, \.optStringIx, \.dateIx, \.optDateIx,
        \.objectIdIx, \.optObjectIdIx, \.uuidIx, \.optUuidIx, \.anyIx, \.manyDuplicatesIx,
        \.longPrefixIx,
      ]
    }
  }

  final class SparseKeys: Object, FixtureObject {
    @Persisted var n: Int
    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    static var paths: [PartialKeyPath<SparseKeys>] {
      [
        \.n
      ]
    }
  }

  final class EnumStrings: Object, FixtureObject {
    @Persisted var colour: String?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    static var paths: [PartialKeyPath<EnumStrings>] {
      [
        \.colour
      ]
    }
  }
}
