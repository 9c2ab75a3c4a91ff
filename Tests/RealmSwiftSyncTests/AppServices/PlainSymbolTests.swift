// SPDX-License-Identifier: Apache-2.0

// Numbers of codes, values of BSON and predicates: what programs that were written for Realm name.

#if Sync
import Foundation
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
    expectTrue(configuration.syncConfiguration?.initialSubscriptions?.callback != nil)
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
    let function: Functions.Function = user.functions.sum
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
