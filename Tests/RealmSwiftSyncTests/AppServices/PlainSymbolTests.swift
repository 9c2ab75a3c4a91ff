// SPDX-License-Identifier: Apache-2.0

// Numbers of codes, values of BSON and predicates: what programs that were written for Realm name.

#if Sync
import Foundation
import RealmStorage
import RealmSync
import RealmSyncProtocol
import TestExtensions
import Testing

@testable import RealmSwift

struct PlainSymbolTests {
  @Test func codesHaveTheirNumbers() {
    let codes: [AppError.Code] = [
      .unknown, .httpRequestFailed, .invalidSession, .badRequest, .userNotFound,
      .userAppDomainMismatch, .domainNotAllowed, .readSizeLimitExceeded, .invalidParameter,
      .missingParameter, .functionExecutionError, .internalServerError, .authProviderNotFound,
      .valueNotFound, .valueAlreadyExists, .valueDuplicateName, .functionNotFound,
      .functionSyntaxError, .functionInvalid, .apiKeyAlreadyExists, .executionTimeLimitExceeded,
      .notCallable, .userAlreadyConfirmed, .userDisabled, .authError, .accountNameInUse,
      .invalidPassword, .maintenanceInProgress, .mongoDBError,
    ]
    expectEqual(codes.map(\.rawValue), [-1] + Array(1...28))
    let sync: [SyncError.Code] = [
      .clientSessionError, .clientUserError, .clientInternalError, .clientResetError,
      .underlyingAuthError, .permissionDeniedError, .invalidFlexibleSyncSubscriptions,
      .writeRejected, .connectionFailed, .tlsHandshakeFailed, .serverWarning,
    ]
    expectEqual(sync.map(\.rawValue), Array(4...14))
    let methods: [RLMHTTPMethod] = [.GET, .POST, .PATCH, .PUT, .DELETE]
    expectEqual(methods.map(\.rawValue), Array(0...4))
  }

  @Test func valuesOfProgramsAreBSON() throws {
    func bson(_ value: some BSON) -> AnyBSON { value.anyBSON }
    let (id, uuid, date) = (ObjectId.generate(), UUID(), Date(timeIntervalSince1970: 3))
    expectEqual(bson(1), .int64(1))
    expectEqual(1.anyBSON, .int64(1))
    expectEqual(Int32(1).anyBSON, .int32(1))
    expectEqual(Int64(1).anyBSON, .int64(1))
    expectEqual(true.anyBSON, .bool(true))
    expectEqual(1.5.anyBSON, .double(1.5))
    expectEqual("a".anyBSON, .string("a"))
    expectEqual(Data([1]).anyBSON, .binary(Data([1])))
    expectEqual(date.anyBSON, .datetime(date))
    expectEqual(id.anyBSON, .objectId(id))
    expectEqual(Decimal128(integerLiteral: 1).anyBSON, .decimal128(1))
    expectEqual(uuid.anyBSON, .uuid(uuid))
    expectEqual(MinKey().anyBSON, .minKey)
    expectEqual(MaxKey().anyBSON, .maxKey)
    expectEqual(NSNull().anyBSON, .null)
    expectEqual(AnyBSON.null.anyBSON, .null)
    let expression = try NSRegularExpression(pattern: "a")
    expectEqual(expression.anyBSON, .regex(expression))
    let array: [AnyBSON?] = [1]
    let document: Document = ["a": 1]
    expectEqual(array.anyBSON, .array([1]))
    expectEqual(document.anyBSON, .document(["a": 1]))
    expectEqual(Optional(1).anyBSON, .int64(1))
    expectEqual(Int?.none.anyBSON, .null)
  }

  @Test func predicatesAreSubscribedTo() async throws {
    let app = try MemoryApp()
    let configuration = try await app.configuration("first") { subscriptions in
      subscriptions.append(
        QuerySubscription<Todo>(name: "p", where: NSPredicate(format: "priority > %@", 3)))
    }
    let initial: InitialSubscriptionsConfiguration? =
      configuration.syncConfiguration?.initialSubscriptions
    expectTrue(initial?.callback != nil)
    try change(configuration)
    expectEqual(app.device("first"), app.device("first"))
  }

  /// Without suspension, in which the calls of async code would be chosen.
  private func change(_ configuration: Realm.Configuration) throws {
    let realm = try Realm(configuration: configuration)
    let set = realm.subscriptions
    let high = NSPredicate(format: "priority > %@", 3)
    expectEqual(set.first(ofType: Todo.self, where: high)?.name, "p")
    set.update {
      set.first?.updateQuery(toType: Todo.self, where: NSPredicate(format: "priority > 4"))
    }
    expectTrue(set.first(ofType: Todo.self, where: high) == nil)
    set.update { set.remove(ofType: Todo.self, where: NSPredicate(format: "priority > 4")) }
    expectEqual(set.count, 0)
  }

  @Test func functionsCanBeKept() async throws {
    let user = try await MemoryApp().device("first").login(credentials: .anonymous)
    let function: Functions.ResultFunction = user.functions.sum
    let pair: Functions.Function = user.functions.sum
    let callable: FunctionCallable = user.functions.sum
    await #expect(throws: AppError.self) {
      try await callable.dynamicallyCall(withArguments: [[1]])
    }
    await #expect(throws: AppError.self) {
      try await withCheckedThrowingContinuation {
        (continuation: CheckedContinuation<AnyBSON, any Error>) in
        function([1]) { continuation.resume(with: $0) }
      }
    }
    await #expect(throws: AppError.self) {
      try await callable.dynamicallyCall(withArguments: [.int64(1)])
    }
    let ended = await withCheckedContinuation {
      (continuation: CheckedContinuation<Bool, Never>) in
      let handler: Functions.FunctionCompletionHandler = { value, error in
        continuation.resume(returning: value == nil && error is AppError)
      }
      pair([1], handler)
    }
    expectTrue(ended)
  }

  /// Blocks of programs have these types, and the calls take them.
  @Test func blocksHaveNames() async throws {
    let user = try await MemoryApp().device("first").login(credentials: .anonymous)
    let collection = user.mongoClient("mongodb-atlas").database(named: "d")
      .collection(withName: "c")
    let failures = Locked(0)
    @Sendable func failed<R>(_ result: Result<R, any Error>) {
      if case .failure = result { failures.withLock { $0 += 1 } }
    }
    let insert: MongoInsertBlock = { failed($0) }
    let insertMany: MongoInsertManyBlock = { failed($0) }
    let find: MongoFindBlock = { failed($0) }
    let findOne: MongoFindOneBlock = { failed($0) }
    let count: MongoCountBlock = { failed($0) }
    let update: MongoUpdateBlock = { failed($0) }
    let account: EmailPasswordAuthOptionalErrorBlock = { error in
      if error != nil { failures.withLock { $0 += 1 } }
    }
    let login: UserCompletionBlock = { _, error in
      if error == nil { failures.withLock { $0 += 1 } }
    }
    let function: Functions.ResultFunctionCompletionHandler = { failed($0) }
    collection.insertOne([:], insert)
    collection.insertMany([[:]], insertMany)
    collection.find(filter: [:], find)
    collection.findOneDocument(filter: [:], findOne)
    collection.count(filter: [:], count)
    collection.updateOneDocument(filter: [:], update: [:], update)
    user.apiKeysAuth.app.emailPasswordAuth.callResetPasswordFunction(
      email: "", password: "", args: [], account)
    user.functions.sum([1], function)
    login(user, nil)
    for _ in 0..<6_000 where failures.withLock({ $0 < 9 }) {
      try await Task.sleep(for: .milliseconds(5))
    }
    expectEqual(failures.withLock { $0 }, 9)
    let report: ErrorReportingBlock = { _, session in expectTrue(session == nil) }
    user.apiKeysAuth.app.syncManager.errorHandler = report
    user.apiKeysAuth.app.syncManager.errorHandler?(CancellationError(), nil)
    let level: SyncLogLevel = .detail
    expectEqual(level, LogLevel.detail)
    let client: any ProviderClient = user.apiKeysAuth
    expectEqual(client.app, user.apiKeysAuth.app)
    expectEqual(client.app.emailPasswordAuth.app, client.app)
  }

  @Test func providersHaveTheNamesOfTheProtocol() async throws {
    let user = try await MemoryApp().device("first").login(credentials: .anonymous)
    expectEqual(user.identities.map { Provider(rawValue: $0.providerType) }, [.anonymous])
    let providers: [Provider] = [
      .usernamePassword, .facebook, .google, .apple, .JWT, .function, .userAPIKey, .serverAPIKey,
    ]
    expectEqual(
      providers.map(\.rawValue),
      [
        "local-userpass", "oauth2-facebook", "oauth2-google", "oauth2-apple", "custom-token",
        "custom-function", "api-key", "api-key",
      ])
  }

  @Test func valuesOfAppsCanBeMade() {
    let key = UserAPIKey()
    expectTrue(key.name.isEmpty)
    expectTrue(key.key == nil)
    expectFalse(key.disabled)
    expectEqual(key.objectId, ObjectId())
    expectTrue(UserProfile().metadata.isEmpty)
    expectTrue(UserProfile().name == nil)
  }

  @available(*, deprecated)
  @Test func olderNamesOfOptionsStillWork() {
    let find = FindOptions(limit: 3, projection: ["a": 1], sort: ["b": -1])
    expectEqual(find.limit, 3)
    expectEqual(find.sorting, [["b": -1]])
    find.sort = nil
    expectTrue(find.sorting.isEmpty)
    find.sort = ["c": 1]
    expectEqual(find.sort, ["c": 1])
    let modify = FindOneAndModifyOptions(projection: nil, sort: ["b": 1], upsert: true)
    expectEqual(modify.sorting, [["b": 1]])
    expectTrue(modify.upsert)
    modify.sort = nil
    expectTrue(modify.sort == nil)
    let configuration = AppConfiguration(
      localAppName: "n", localAppVersion: "1", enableSessionMultiplexing: false)
    expectFalse(configuration.enableSessionMultiplexing)
  }

  @Test func requestsBeginEmpty() {
    let request = RLMRequest()
    expectEqual(request.method, .GET)
    expectTrue(request.url.isEmpty)
    expectTrue(request.headers.isEmpty)
    expectTrue(request.body.isEmpty)
    expectEqual(request.timeout, 60)
  }
}
#endif
