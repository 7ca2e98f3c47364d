"""Picks the client by name; only the chosen one is imported."""

from openlake.bench.checkpoint.clients.interface import ObjectClient
from openlake.bench.checkpoint.plan import JobPlan


def connect(plan: JobPlan) -> ObjectClient:
    if plan.client == "boto3":
        from openlake.bench.checkpoint.clients.boto3_client import Boto3Client

        return Boto3Client(plan)
    if plan.client == "s3dlio":
        from openlake.bench.checkpoint.clients.s3dlio_client import S3dlioClient

        return S3dlioClient(plan)
    from openlake.bench.checkpoint.clients.openlake_client import OpenLakeClient

    return OpenLakeClient(plan)
